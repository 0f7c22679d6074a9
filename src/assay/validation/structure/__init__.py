"""Limits on the structure of a generation, which need no labelled query: integrity, pages, addresses, titles."""

from assay.validation.structure.checks import structure_findings, vector_findings
from assay.validation.structure.judged import Judged, StructuralLimits
from assay.validation.structure.notes import structure_notes

__all__ = ["Judged", "StructuralLimits", "structure_findings", "structure_notes", "vector_findings"]
