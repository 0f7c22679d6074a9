"""Limits on quality and structure, and the verdict."""
