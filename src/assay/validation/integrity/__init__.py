"""Integrity audit of a generation: every document, chunk and vector, in the catalog and in the index."""

from assay.validation.integrity.conductor import audit
from assay.validation.integrity.faults import KINDS, Audit, Fault
from assay.validation.integrity.recheck import EmbeddingCheck, EmbeddingCost, Recheck, embedding_cost
from assay.validation.integrity.results import ResultCheck, check_hits
from assay.validation.integrity.suspicion import most_suspicious

__all__ = [
    "KINDS",
    "Audit",
    "EmbeddingCheck",
    "EmbeddingCost",
    "Fault",
    "Recheck",
    "ResultCheck",
    "audit",
    "check_hits",
    "embedding_cost",
    "most_suspicious",
]
