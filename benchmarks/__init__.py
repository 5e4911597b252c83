"""Speed of metajudge, measured beside its floor and its peers: `python -m benchmarks.run`."""
