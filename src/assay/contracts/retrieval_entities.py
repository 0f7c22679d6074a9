"""The entities of seed 002 and their validation rules."""

import math
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

import numpy as np

from assay.contracts.fields import was_sent
from assay.errors import InputError

DEFAULT_MODEL = "embed-english-v3.0"

_DIMENSIONS = {DEFAULT_MODEL: 1_024}
"""Models whose dimension the seed fixes; that of another model comes from its identity."""


@dataclass(frozen=True, slots=True)
class QueryEmbedding:
    """The vector of a query.

    vector: finite numbers; its length is the model's dimension (1024 for embed-english-v3.0).
    query_text: the embedded query; not empty.
    model: name of the embedding model.

    Raises ValueError for fields that break these rules.
    """

    vector: list[float]
    query_text: str
    model: str = DEFAULT_MODEL

    def __post_init__(self) -> None:
        if not self.query_text.strip():
            raise InputError("query_text: it is empty.")
        if not self.model:
            raise InputError("model: it is empty.")
        check_vector(self.vector, _DIMENSIONS.get(self.model), self.model, "vector")


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """One chunk that answers a query.

    text: the chunk's text; not blank.
    source_url: absolute http or https URL of the page.
    relevance_score: cosine of query and chunk, 0 to 1.
    position: index of the chunk in the page, from 0.
    title: of the page; "" if it has none.

    Raises ValueError for fields that break these rules.
    """

    text: str
    source_url: str
    relevance_score: float
    chunk_id: str
    position: int = 0
    title: str = ""

    def __post_init__(self) -> None:
        for name in ("text", "source_url", "chunk_id", "title"):
            value = getattr(self, name)
            if not isinstance(value, str):
                raise InputError(f"{name}: it must be a string; {was_sent(value)}.")
        if isinstance(self.position, bool) or not isinstance(self.position, int):
            raise InputError(f"position: it must be a whole number; {was_sent(self.position)}.")
        if isinstance(self.relevance_score, bool) or not isinstance(self.relevance_score, int | float):
            raise InputError(f"relevance_score: it must be a number from 0 to 1; {was_sent(self.relevance_score)}.")
        if not self.text.strip():
            raise InputError("text: it is empty.")
        if not _is_url(self.source_url):
            raise InputError(f"source_url: it must be an absolute http or https URL; {was_sent(self.source_url)}.")
        if not 0.0 <= self.relevance_score <= 1.0:
            raise InputError(f"relevance_score: it must be a number from 0 to 1; {was_sent(self.relevance_score)}.")
        if not self.chunk_id:
            raise InputError("chunk_id: it is empty.")
        if self.position < 0:
            raise InputError(f"position: it must be 0 or more; {was_sent(self.position)}.")

    def to_dict(self) -> dict[str, object]:
        """The result as a plain dict."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class RetrieverStatistics:
    """The generation that a retriever searches, and its query counts since it was opened.

    generation: id of the live generation.
    documents, chunks: numbers in that generation.
    queries: number of queries, failed ones included.
    empty: queries without a result.
    mean_ms: mean time of the queries that did not fail; None before the first.
    """

    generation: str
    documents: int
    chunks: int
    model: str
    dimension: int
    queries: int
    empty: int
    failed: int
    mean_ms: float | None


@dataclass(frozen=True, slots=True)
class ConfigurationCheck:
    """The result of a configuration check. problems: messages with remedies; empty if queries work."""

    problems: tuple[str, ...]
    model: str | None = None
    dimension: int | None = None
    generation: str | None = None

    @property
    def ok(self) -> bool:
        """Whether there are no problems."""
        return not self.problems


def check_vector(values: object, dimension: int | None, model: str, name: str) -> None:
    """Raise InputError unless these are finite numbers, `dimension` of them."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if not isinstance(values, list | tuple):
        raise InputError(f"{name}: it must be a list of numbers; {was_sent(values)}.")
    if not values:
        raise InputError(f"{name}: it is empty.")
    if dimension is not None and len(values) != dimension:
        raise InputError(f"{name}: {model} has {dimension:,} dimensions; a list of {len(values):,} was sent.")
    for position, value in enumerate(values):
        if not _is_finite(value):
            raise InputError(f"{name}[{position}]: it must be a finite number; {was_sent(value)}.")


def _is_finite(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | np.floating | np.integer):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer too large for a float
        return False


def _is_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and not any(map(str.isspace, url))
