"""The embedded vector store: Qdrant Edge, one shard folder per generation."""
