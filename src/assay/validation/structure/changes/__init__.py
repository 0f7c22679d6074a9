"""Checks against the live generation: pages, text, kinds of content and anchors that the candidate lost or gained."""
