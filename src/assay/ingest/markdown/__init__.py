"""Markdown and MDX → documents; `reader` conducts, and its docstring names the steps."""

READER_REVISION = "7"
"""Increase when the same page would give another document, or more of it would be stored."""
