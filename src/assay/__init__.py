"""Assay: a retrieval service for documentation whose index must prove itself before it goes live."""

__version__ = "0.1.0"
