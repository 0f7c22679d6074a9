"""Labelling: which hits to ask a person about, in which order, and by which words an answer is kept."""
