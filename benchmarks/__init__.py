"""What Assay is measured with; run by `make bench`."""
