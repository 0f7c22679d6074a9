"""From pages to a candidate generation: reading, chunking, and the pipeline that conducts them."""
