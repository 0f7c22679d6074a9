"""Judgments that survive re-chunking: each is found again in a generation, or said to be lost; never silently moved."""
