"""Judgments that survive re-chunking: each is resolved on a generation, or reported as lost; never silently moved."""
