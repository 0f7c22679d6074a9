"""What an audit looks for, and what it found."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.model.evaluation import MOST_EXAMPLES

KINDS = {
    "catalog": "every page and chunk in the catalog can be read",
    "index": "the index can be opened and read",
    "completeness": "every chunk has its URL, title, position, content, time and hash",
    "hashes": "the recomputed SHA-256 of every document's, chunk's and embedded text equals the stored one",
    "ids": "every chunk's id follows from its URL and text",
    "spans": "every chunk's text is its span of the document's text",
    "positions": "the chunks of every document count 0, 1, 2, … and name their neighbours",
    "agreement": "index and catalog hold the same chunks with the same content, as many as the generation says",
    "fingerprint": "the content has the fingerprint that the generation was sealed with",
    "vectors": "every chunk has a vector that is finite, of length 1 and of the right dimension",
    "vector checksums": "every vector is the one that was recorded when its text was embedded",
    "identity": "the embedder and the keyword encoder at hand are those that made the generation",
    "embeddings": "every vector is the one that the embedder makes of the chunk's text",
    "keywords": "every keyword vector is the one that follows from the chunk's text",
}
"""What is checked, as a promise that holds when nothing was found."""


@dataclass(slots=True)
class Fault:
    """One kind of fault: how often it was found, and where first.

    cause: what most likely happened, as a sentence; "" where the examples say it.
    """

    count: int = 0
    examples: list[str] = field(default_factory=list)
    cause: str = ""

    def add(self, example: str) -> None:
        """Count one more."""
        self.count += 1
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append(example)


@dataclass(slots=True)
class Audit:
    """What an audit found: a fault for each kind, and how much was looked at.

    compared_vectors, compared_keywords: chunks whose vector, or keyword vector, was made anew.
    skipped: kinds that were not looked at, and why, as a clause.
    """

    faults: dict[str, Fault] = field(default_factory=lambda: {kind: Fault() for kind in KINDS})
    documents: int = 0
    chunks: int = 0
    compared_vectors: int = 0
    compared_keywords: int = 0
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many faults there are."""
        return sum(fault.count for fault in self.faults.values())

    def looked_at(self, kind: str) -> int:
        """In how many chunks a kind of fault was looked for."""
        compared = {"embeddings": self.compared_vectors, "keywords": self.compared_keywords}
        return compared.get(kind, self.chunks)

    def add(self, found: "Iterable[Found]") -> None:
        """Count what a part of the chunks brought."""
        for kind, example in found:
            self.faults[kind].add(example)


Found = tuple[str, str]
"""A fault's kind, and where and what it is."""
