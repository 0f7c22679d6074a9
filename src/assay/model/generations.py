"""Generations: complete, immutable builds of the index, and the states they pass through."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum

from assay.errors import InvalidTransition
from assay.model.described import described
from assay.model.documents import Chunk


class State(StrEnum):
    """State of a generation."""

    BUILDING = "building"
    CANDIDATE = "candidate"
    LIVE = "live"
    RETIRED = "retired"
    REJECTED = "rejected"
    FAILED = "failed"

    @property
    def is_sealed(self) -> bool:
        """Whether a generation in this state has a complete, searchable index."""
        return self in {State.CANDIDATE, State.LIVE, State.RETIRED}


TRANSITIONS: Mapping[State, frozenset[State]] = {
    State.BUILDING: frozenset({State.CANDIDATE, State.FAILED}),
    State.CANDIDATE: frozenset({State.LIVE, State.REJECTED}),
    State.LIVE: frozenset({State.RETIRED}),
    State.RETIRED: frozenset({State.LIVE, State.FAILED}),
    State.REJECTED: frozenset(),
    State.FAILED: frozenset(),
}
"""The states that may follow each state. Retired to live is a rollback; to failed, the begin of its removal."""


def check_transition(generation: str, current: State, target: State) -> None:
    """Raise InvalidTransition unless TRANSITIONS has this step."""
    if target not in TRANSITIONS[current]:
        raise InvalidTransition(
            f"Generation {generation} is {current}, and a {current} generation cannot become {target}.",
            hint="`assay generations` lists every generation with its state.",
        )


@dataclass(frozen=True, slots=True)
class _Identity:
    """Properties that determine a result; equal properties give equal results."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 hex over every field."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True, ensure_ascii=False).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class EmbedderIdentity(_Identity):
    """The properties that determine an embedder's vectors. Vectors are comparable only if these are equal."""

    provider: str = field(metadata=described("Provider of the model, or `static` for the built-in one."))
    model: str = field(metadata=described("Name of the model."))
    dimension: int = field(metadata=described("Length of the vectors.", ge=0))
    document_prefix: str = field(default="", metadata=described("Prefix or input type of chunks."))
    query_prefix: str = field(default="", metadata=described("Prefix or input type of queries."))
    revision: str = field(default="", metadata=described("Version of the weights or of the pooling."))


@dataclass(frozen=True, slots=True)
class ChunkerIdentity(_Identity):
    """The properties that determine the chunks of a document.

    max_tokens: of a chunk's embedded text.
    overlap: with the previous chunk of the same section.
    """

    reader: str = field(metadata=described("Version of the page reader."))
    chunker: str = field(metadata=described("Version of the chunker."))
    max_characters: int = field(metadata=described("Maximum characters of a chunk.", ge=0))
    max_tokens: int | None = field(metadata=described("Maximum tokens of a chunk; null without a limit.", ge=0))
    overlap: int = field(metadata=described("Characters that neighbouring chunks share.", ge=0))
    tokenizer: str = field(metadata=described("Name of the tokenizer."))


@dataclass(frozen=True, slots=True)
class SparseIdentity:
    """The properties that determine BM25 vectors.

    average_length: mean number of terms of a chunk after stop words, measured on the corpus.
    k, b: BM25's saturation and length normalization.
    """

    language: str
    k: float
    b: float
    average_length: float
    revision: str = ""


@dataclass(frozen=True, slots=True)
class Generation:
    """One complete build of the index.

    id: sortable by time of creation.
    parent: the live generation at build time, whose vectors this build could reuse.
    sources: each source as given on the command line or in the settings.
    documents, chunks: their numbers.
    failed_pages: number of pages that could not be read in this build.
    carried_pages: failed pages that keep their previous document, and so count among the documents.
    unread_documents: numbers of documentation files that no reader supports, by format, as in UnreadFiles; None in a
        generation of an older version.
    has_variants: whether some documents have another version or locale than the default ones.
    content_fingerprint: SHA-256 over the ids and hashes of every chunk; equal content gives equal fingerprints.
    verdict: the last verdict on this generation; None before a validation. One without a test set has JUDGED_BEFORE.
    reason: why it is rejected or failed.
    seconds: time of each build stage.
    """

    id: str
    state: State
    created_at: datetime
    embedder: EmbedderIdentity
    chunker: ChunkerIdentity
    sparse: SparseIdentity
    sources: tuple[str, ...] = ()
    parent: str | None = None
    documents: int = 0
    chunks: int = 0
    failed_pages: int = 0
    carried_pages: int = 0
    unread_documents: Mapping[str, int] | None = None
    has_variants: bool = False
    content_fingerprint: str = ""
    sealed_at: datetime | None = None
    promoted_at: datetime | None = None
    verdict: Mapping[str, object] | None = None
    reason: str | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Generation {self.id}: {self.state.value}, {self.documents} documents, {self.chunks} chunks>"


JUDGED_BEFORE = "judged_before"
"""Key of a stored verdict without a test set: the last verdict that had one."""


def last_judged(generations: Iterable[Generation], content: str | None = None) -> Mapping[str, object] | None:
    """The last verdict with a test set that generations remember; None if only their structure was validated.

    content: fingerprint of the content that it must be for; None for any.
    """
    verdicts = [verdict for one in generations for verdict in _with_test_set(one.verdict)]
    judged = [one for one in verdicts if content in {None, one.get("content_fingerprint")}]
    return max(judged, key=lambda verdict: str(verdict.get("at")), default=None)


def _with_test_set(verdict: object) -> Iterator[Mapping[str, object]]:
    """A stored verdict, or the earlier one that it remembers, if it has a test set."""
    if isinstance(verdict, Mapping) and verdict.get("test_set_path"):
        yield verdict
    elif isinstance(verdict, Mapping):
        yield from _with_test_set(verdict.get(JUDGED_BEFORE))


class ContentFingerprint:
    """SHA-256 over the ids and hashes of chunks, added in the order of URL and position."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    @staticmethod
    def lines(chunks: Iterable[Chunk]) -> bytes:
        """The part of these chunks that is hashed."""
        return "".join([f"{chunk.id} {chunk.embedded_hash} {chunk.content_hash}\n" for chunk in chunks]).encode()

    def add(self, chunk: Chunk) -> None:
        """Add the next chunk."""
        self.add_lines(self.lines([chunk]))

    def add_lines(self, lines: bytes) -> None:
        """Add the lines of the next chunks."""
        self._digest.update(lines)

    @property
    def value(self) -> str:
        """The fingerprint of the added chunks, as 64 lower-case hex digits."""
        return self._digest.hexdigest()
