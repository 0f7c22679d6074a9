"""The HTTP client of a running Assay."""
