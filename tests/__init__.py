"""Tests of metajudge; mirrors the package."""
