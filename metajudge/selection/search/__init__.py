"""Search with Optuna: a declared space, a study that is kept, and what it shows."""
