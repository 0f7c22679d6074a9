"""Derive a first test set without labelling, from the link texts and question headings of the documents."""
