"""Reads HTML pages, those of the known site generators and any other."""

READER_REVISION = "8"
"""Increase when the same page would give another document, or more of it would be stored."""
