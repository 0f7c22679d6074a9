"""The index of a generation: term counts, vectors, and the passes that write them."""
