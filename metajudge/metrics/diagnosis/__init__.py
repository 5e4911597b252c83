"""What scores mean together: published tables, the tree of causes, and what to try next."""
