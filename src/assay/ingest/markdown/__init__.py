"""Markdown and MDX → documents; `reader` conducts, and its docstring names the steps."""
