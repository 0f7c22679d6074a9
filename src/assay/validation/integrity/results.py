"""Integrity of search results: seed 001's two rates, and the faults of hits."""

from collections.abc import Iterable
from dataclasses import dataclass

from assay.model.ids import content_hash
from assay.model.ranking import Hit
from assay.validation.integrity.documents import missing_fields
from assay.validation.integrity.faults import Fault
from assay.validation.integrity.recheck import name_of


@dataclass(frozen=True, slots=True)
class ResultCheck:
    """Faults in the results of searches.

    results: number of hits; a chunk counts once for each ranking.
    complete, hashed: number of hits with all six fields, and with a correct hash.
    faults: by kind, `completeness` and `hashes`.
    """

    results: int
    complete: int
    hashed: int
    faults: dict[str, Fault]

    @property
    def completeness_rate(self) -> float:
        """Seed 001's metadata_completeness_rate, 0 to 1; 1.0 without any results."""
        return self.complete / self.results if self.results else 1.0

    @property
    def hash_pass_rate(self) -> float:
        """Seed 001's hash_validation_pass_rate, 0 to 1; 1.0 without any results."""
        return self.hashed / self.results if self.results else 1.0


def check_hits(hits: Iterable[Hit]) -> ResultCheck:
    """Check the hits of one or many rankings."""
    faults = {kind: Fault() for kind in ("completeness", "hashes")}
    results = complete = hashed = 0
    for hit in hits:
        chunk = hit.chunk
        results += 1
        if lacking := missing_fields(chunk):
            faults["completeness"].add(f"{name_of(chunk)} lacks {', '.join(lacking)}")
        else:
            complete += 1
        if content_hash(chunk.text) == chunk.content_hash.lower():
            hashed += 1
        else:
            faults["hashes"].add(f"{name_of(chunk)}: its text does not have the hash {chunk.content_hash}")
    return ResultCheck(results, complete, hashed, faults)
