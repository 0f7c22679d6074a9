"""Test sets: read and check files of labelled queries, and count their contents."""
