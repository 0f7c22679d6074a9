"""Ways in which an index can be wrong, each done to a copy of a healthy one: `python -m benchmarks.sabotages`."""
