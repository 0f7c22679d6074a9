"""Middleware of every route, and what it shares with the protocol: records, log lines, limits and keys."""
