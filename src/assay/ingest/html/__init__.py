"""Reads HTML pages, those of the known site generators and any other."""
