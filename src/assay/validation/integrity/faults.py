"""The kinds of fault, and the report of an audit."""

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
    "vector checksums": "every vector equals the vector recorded when its text was embedded",
    "identity": "the embedder and the keyword encoder at hand are those that made the generation",
    "embeddings": "every vector equals the vector that the embedder now makes of the chunk's text",
    "keywords": "every keyword vector equals the vector computed from the chunk's text",
}
"""The checks, each as a statement that is true without faults."""


@dataclass(slots=True)
class Fault:
    """One kind of fault: the number of cases, and the first examples.

    cause: the most likely cause, as a sentence; "" if the examples show it.
    """

    count: int = 0
    examples: list[str] = field(default_factory=list)
    cause: str = ""

    def add(self, example: str) -> None:
        """Add a case."""
        self.count += 1
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append(example)


@dataclass(slots=True)
class Audit:
    """The report of an audit: faults by kind, and the number of documents and chunks that were checked.

    compared_vectors, compared_keywords: number of chunks whose vector, or keyword vector, was recomputed.
    skipped: kinds that were not checked, each with the reason as a clause.
    """

    faults: dict[str, Fault] = field(default_factory=lambda: {kind: Fault() for kind in KINDS})
    documents: int = 0
    chunks: int = 0
    compared_vectors: int = 0
    compared_keywords: int = 0
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """Total number of faults."""
        return sum(fault.count for fault in self.faults.values())

    def looked_at(self, kind: str) -> int:
        """Number of chunks that were checked for a kind of fault."""
        compared = {"embeddings": self.compared_vectors, "keywords": self.compared_keywords}
        return compared.get(kind, self.chunks)

    def add(self, found: "Iterable[Found]") -> None:
        """Add the faults of a batch."""
        for kind, example in found:
            self.faults[kind].add(example)


Found = tuple[str, str]
"""The kind of a fault, and its description."""
