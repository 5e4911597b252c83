"""Racing: claims in blocks, bounds on the full grid, and its chance of choosing otherwise."""
