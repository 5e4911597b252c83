"""Plain tables: which column holds what, and what its words mean."""
