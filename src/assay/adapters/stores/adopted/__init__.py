"""A read-only Qdrant collection that Assay did not make, read by a field mapping."""
