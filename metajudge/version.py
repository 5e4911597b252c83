"""The version of the package, for every room that writes it down."""

__version__ = "0.1.0"
