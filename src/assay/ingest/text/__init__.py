"""Normalized text: inline text, blocks and labels, written in one form for HTML and Markdown."""
