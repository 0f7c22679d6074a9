"""Checks of the index against the catalog."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from assay.model.documents import Chunk
from assay.model.generations import Generation
from assay.ports import StoredPoint, Vector, VectorIndex, fit_checksums
from assay.validation.integrity.faults import Audit, Found
from assay.validation.integrity.recheck import name_of

_UNIT = 1e-3
"""Tolerance of a vector's squared length around 1."""


def check_points(chunks: Sequence[Chunk], points: dict[str, StoredPoint], dimension: int) -> list[Found]:
    """Compare the index's copies of these chunks with the catalog's."""
    found: list[Found] = []
    for chunk in chunks:
        point = points.get(chunk.id)
        if point is None:
            found.append(("agreement", f"{name_of(chunk)} is missing from the index"))
            continue
        found += [(_kind_of(point), f"{name_of(chunk)} {problem} in the index") for problem in point.problems]
        if point.chunk is not None and point.chunk != chunk:
            fields = ", ".join(_differing(point.chunk, chunk))
            found.append(("agreement", f"{name_of(chunk)} differs between index and catalog: {fields}"))
        if wrong := _wrong_with(point.dense, dimension):
            found.append(("vectors", f"{name_of(chunk)}{wrong}"))
    return found


@dataclass(slots=True)
class Recorded:
    """The recorded checksums of a generation's vectors.

    checksums: number of chunks with one.
    lacking: a fault for each indexed chunk without one; they count only if other chunks have one.
    """

    checksums: int = 0
    lacking: list[Found] = field(default_factory=list)

    def add(self, other: "Recorded") -> None:
        """Add those of another batch."""
        self.checksums += other.checksums
        self.lacking += other.lacking

    def conclude(self, report: Audit) -> None:
        """Report the chunks without a checksum, or skip the check if none was recorded."""
        if self.checksums:
            report.add(self.lacking)
        elif self.lacking:
            report.skipped["vector checksums"] = (
                f"none of the {len(self.lacking)} was recorded: an earlier version of Assay built this generation, and "
                "the next build records them"
            )


def check_checksums(
    chunks: Sequence[Chunk], points: Mapping[str, StoredPoint], checksums: Mapping[str, bytes], dimension: int
) -> tuple[Recorded, list[Found]]:
    """Compare the index's vectors with the checksums recorded when they were embedded.

    Missing points and unusable vectors are left to `check_points`.
    """
    there = [chunk for chunk in chunks if chunk.id in points]
    lacking = [chunk for chunk in there if chunk.id not in checksums]
    recorded = Recorded(
        len(there) - len(lacking),
        [("vector checksums", f"{name_of(chunk)}: the checksum of its vector is missing") for chunk in lacking],
    )
    stored = [(chunk, points[chunk.id].dense) for chunk in there if chunk.id in checksums]
    usable = [(chunk, dense) for chunk, dense in stored if dense is not None and not _wrong_with(dense, dimension)]
    fits = fit_checksums([dense for _, dense in usable], [checksums[chunk.id] for chunk, _ in usable])
    wrong = [chunk for (chunk, _), fit in zip(usable, fits, strict=True) if not fit]
    return recorded, [
        ("vector checksums", f"{name_of(chunk)}: its vector is not the vector that was recorded") for chunk in wrong
    ]


def check_ids(catalog_ids: set[str], index: VectorIndex, report: Audit) -> None:
    """Find points that only the index has."""
    strange = [identity for identity in index.ids() if identity not in catalog_ids]
    for identity in strange:
        report.faults["agreement"].add(f"{identity} is in the index only")


def check_counts(points: int | None, generation: Generation, report: Audit) -> None:
    """Compare the counts of generation, catalog and index. points: None without an index."""
    faults = report.faults["agreement"]
    if report.chunks != generation.chunks or points not in {None, report.chunks}:
        has = "cannot be counted" if points is None else str(points)
        faults.add(f"the generation says {generation.chunks} chunks, the catalog has {report.chunks}, the index {has}")
    if report.documents != generation.documents:
        faults.add(f"the generation says {generation.documents} documents, the catalog has {report.documents}")


def _kind_of(point: StoredPoint) -> str:
    """An unreadable point is incomplete; a readable one contradicts itself."""
    return "completeness" if point.chunk is None else "agreement"


def _differing(one: Chunk, other: Chunk) -> list[str]:
    names = [name for name in Chunk.__dataclass_fields__ if getattr(one, name) != getattr(other, name)]
    if "document" in names:
        info, expected = one.document, other.document
        inner = [n for n in type(info).__dataclass_fields__ if getattr(info, n) != getattr(expected, n)]
        names = [*inner, *(name for name in names if name != "document")]
    return names


def _wrong_with(vector: Vector | None, dimension: int) -> str:
    """The fault of a vector, to append to the chunk's name; "" for none. NaN compares false with all."""
    if vector is None:
        return " has no vector"
    if vector.shape == (dimension,) and abs(float(vector @ vector) - 1.0) < _UNIT / 2:
        return ""  # nearly always; float32 is precise enough for that, and faster
    length = float((vector.astype(np.float64) ** 2).sum())
    if vector.shape == (dimension,) and abs(length - 1.0) < _UNIT:
        return ""
    return f": {vector.size} dimensions, squared length {length:.6g}"
