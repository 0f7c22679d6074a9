"""Generations: complete, immutable builds of the index, and the states they pass through."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum

from assay.errors import InvalidTransition
from assay.model.described import described
from assay.model.documents import Chunk


class State(StrEnum):
    """Where a generation is in its life."""

    BUILDING = "building"
    CANDIDATE = "candidate"
    LIVE = "live"
    RETIRED = "retired"
    REJECTED = "rejected"
    FAILED = "failed"

    @property
    def is_sealed(self) -> bool:
        """Whether a generation in this state has a whole index that can be searched."""
        return self in {State.CANDIDATE, State.LIVE, State.RETIRED}


TRANSITIONS: Mapping[State, frozenset[State]] = {
    State.BUILDING: frozenset({State.CANDIDATE, State.FAILED}),
    State.CANDIDATE: frozenset({State.LIVE, State.REJECTED}),
    State.LIVE: frozenset({State.RETIRED}),
    State.RETIRED: frozenset({State.LIVE}),
    State.REJECTED: frozenset(),
    State.FAILED: frozenset(),
}
"""The state machine: from each state, the states that may follow. Retired to live is a rollback."""


def check_transition(generation: str, current: State, target: State) -> None:
    """Raise InvalidTransition unless the state machine has this step."""
    if target not in TRANSITIONS[current]:
        raise InvalidTransition(
            f"Generation {generation} is {current}, and a {current} generation cannot become {target}.",
            hint="`assay generations` lists every generation with its state.",
        )


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """What a vector's meaning depends on. Two vectors may be compared only when these are equal."""

    provider: str = field(metadata=described("Who serves the model, or `static` for the built-in one."))
    model: str = field(metadata=described("Its name."))
    dimension: int = field(metadata=described("Length of the vectors.", ge=0))
    document_prefix: str = field(
        default="", metadata=described("Put in front of a chunk, or the input type of the provider.")
    )
    query_prefix: str = field(default="", metadata=described("The same of a query."))
    revision: str = field(default="", metadata=described("Version of the weights or of the pooling."))

    @property
    def fingerprint(self) -> str:
        """SHA-256 hex over every field."""
        return _fingerprint(asdict(self))


@dataclass(frozen=True, slots=True)
class ChunkerIdentity:
    """What the chunks of a document depend on.

    max_tokens: of what is embedded.
    overlap: with the previous chunk of the same section.
    """

    reader: str = field(metadata=described("Version of the code that reads pages."))
    chunker: str = field(metadata=described("Version of the code that cuts them."))
    max_characters: int = field(metadata=described("The most characters of a chunk.", ge=0))
    max_tokens: int | None = field(metadata=described("The most tokens; null without a limit.", ge=0))
    overlap: int = field(metadata=described("Characters that neighbours share.", ge=0))
    tokenizer: str = field(metadata=described("What counts tokens."))

    @property
    def fingerprint(self) -> str:
        """SHA-256 hex over every field."""
        return _fingerprint(asdict(self))


@dataclass(frozen=True, slots=True)
class SparseIdentity:
    """What a BM25 vector depends on.

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
    parent: the generation that was live when this one was built, whose vectors it could reuse.
    sources: each source as it was named on the command line or in the settings.
    documents, chunks: how many it holds.
    failed_pages: pages that could not be read in this build.
    carried_pages: those of them that keep the document that they had, and so count among the documents.
    unread_documents: files of the sources' documentation that no reader took, by format, as UnreadFiles counts them;
        None in a generation of before they were counted.
    has_variants: whether some documents are of another version or locale than the default ones.
    content_fingerprint: SHA-256 over the ids and hashes of every chunk; equal content gives equal fingerprints.
    verdict: the last gate result that named this generation; None until it was judged.
    reason: why it is rejected or failed.
    seconds: time spent in each stage of the build.
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


def last_judged(generation: Generation, generations: Sequence[Generation]) -> Mapping[str, object] | None:
    """The last verdict by a test set about a generation's content; None where only its structure ever was judged.

    generations: all that there are. One that was built anew of the same content does not lose its test set.
    """
    same = [one for one in generations if one.content_fingerprint == generation.content_fingerprint]
    verdicts = [one.verdict for one in (generation, *same) if one.verdict and one.verdict.get("test_set_path")]
    return max(verdicts, key=lambda verdict: str(verdict.get("at")), default=None)


class ContentFingerprint:
    """SHA-256 over the ids and hashes of chunks, which come by URL and position as a catalog gives them."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def add(self, chunk: Chunk) -> None:
        """Go on with the next chunk."""
        self._digest.update(f"{chunk.id} {chunk.embedded_hash} {chunk.content_hash}\n".encode())

    @property
    def value(self) -> str:
        """Of all that were added, as 64 lower-case hex digits."""
        return self._digest.hexdigest()


def _fingerprint(fields: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(fields, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
