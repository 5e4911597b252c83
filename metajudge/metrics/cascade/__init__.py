"""Cheap screen, then a judge, then people: cut-offs from gold that keep a stated miss rate."""
