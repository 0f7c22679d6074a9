"""A Qdrant server or cluster: one collection per generation."""
