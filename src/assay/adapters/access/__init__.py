"""API keys and request limits."""
