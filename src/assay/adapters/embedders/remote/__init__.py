"""Shared parts of embedders over a network: limits, retries, batches, checks."""
