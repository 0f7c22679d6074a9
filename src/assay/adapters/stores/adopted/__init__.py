"""A Qdrant collection that Assay did not make, read as it is: fields by a mapping, vectors as they were stored."""
