"""Labelling: the hits to label, their order, and the quote that a label is stored with."""
