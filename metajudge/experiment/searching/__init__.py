"""`metajudge search`: from a declared space to a proposal."""
