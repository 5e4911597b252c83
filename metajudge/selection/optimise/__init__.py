"""DSPy's optimisers on one template, and the choice among what they propose."""
