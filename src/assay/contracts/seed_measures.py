"""The four functions of seed 001, with its names and formulas; validations use them too."""

import hashlib
from collections.abc import Sequence
from typing import Protocol


class _Case(Protocol):
    @property
    def rank_of_best(self) -> int | None: ...


class _Result(Protocol):
    @property
    def content(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def chunk_index(self) -> int | None: ...
    @property
    def timestamp(self) -> object: ...
    @property
    def content_hash(self) -> str | None: ...


def compute_precision_at_k(relevance_labels: Sequence[int], k: int) -> float:
    """Labels of 1 or more among the first k, divided by k even if there are fewer. Raises ValueError for k < 1."""
    if k < 1:
        raise ValueError(f"k must be 1 or more, not {k}.")
    return sum(label >= 1 for label in relevance_labels[:k]) / k


def compute_mrr(test_cases: Sequence[_Case]) -> float:
    """Mean of 1 / rank_of_best, or 0 if that is None; 0.0 without test cases."""
    ranks = [1.0 / case.rank_of_best if case.rank_of_best is not None else 0.0 for case in test_cases]
    return sum(ranks) / len(ranks) if ranks else 0.0


def compute_metadata_completeness(results: Sequence[_Result]) -> float:
    """Share of results that have url, title, chunk_index, content, timestamp and content_hash; 1.0 without results."""
    complete = sum(
        all((one.url, one.title, one.chunk_index is not None, one.content, one.timestamp, one.content_hash))
        for one in results
    )
    return complete / len(results) if results else 1.0


def compute_hash_validation_rate(results: Sequence[_Result]) -> float:
    """Share of results whose content_hash is the SHA-256 of their content; 1.0 without results."""
    sound = sum(
        hashlib.sha256(one.content.encode("utf-8")).hexdigest() == (one.content_hash or "").lower() for one in results
    )
    return sound / len(results) if results else 1.0
