"""What every embedder behind a network needs, each part on its own: limits, retries, batches, checks."""
