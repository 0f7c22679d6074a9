"""Checks of the dense vectors: they tell chunks apart, searches find them, and a sample is embedded again."""
