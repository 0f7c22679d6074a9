"""Searching one generation: from a query to its hits."""
