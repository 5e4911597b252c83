"""`metajudge optimise`: a template's words rewritten by DSPy."""
