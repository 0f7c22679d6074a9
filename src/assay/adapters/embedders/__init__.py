"""Embedders: built in, on this machine, and by providers."""
