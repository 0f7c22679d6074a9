"""`assay testset` and `assay label`: files of labelled queries."""
