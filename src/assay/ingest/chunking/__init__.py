"""Documents → chunks; `chunker` conducts, and its docstring names the steps."""
