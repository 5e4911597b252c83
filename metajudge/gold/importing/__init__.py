"""What every import shares: where it reads from, and how rows become a gold set."""
