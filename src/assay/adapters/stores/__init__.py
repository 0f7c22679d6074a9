"""Vector stores and their indexes."""
