"""Loopback peers: servers that behave as a provider's API does, over real sockets, with faults on demand."""
