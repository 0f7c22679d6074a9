"""A first test set without labelling: what the authors of the documents called the places they link to."""
