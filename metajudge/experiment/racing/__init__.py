"""`metajudge race`: declared trials with real calls, stopped early."""
