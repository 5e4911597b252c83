"""Frozen candidates: made, verified, applied, compared, watched and handed to other tools."""
