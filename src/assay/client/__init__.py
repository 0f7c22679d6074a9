"""A running Assay, searched over HTTP."""
