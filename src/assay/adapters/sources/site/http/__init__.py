"""Requests to one site: checked addresses only, with time and size limits, retries and decoding."""
