"""Rerankers: Cohere, servers with a `/rerank` route, and cross-encoders on this machine."""
