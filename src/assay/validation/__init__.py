"""Measuring a generation before it goes live: integrity, gate, verdict."""
