"""Test sets: what a file of labelled queries may say, what is wrong with one, and what it holds."""
