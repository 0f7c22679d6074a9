"""Checks of a generation that need no labelled query: integrity, pages, text, addresses, titles, vectors."""

from assay.validation.structure.checks import structure_findings, vector_findings
from assay.validation.structure.context import CheckContext, StructuralLimits
from assay.validation.structure.notes import structure_notes

__all__ = ["CheckContext", "StructuralLimits", "structure_findings", "structure_notes", "vector_findings"]
