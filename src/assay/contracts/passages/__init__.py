"""Passages as people see them: highlighted, as a snippet, as plain text."""
