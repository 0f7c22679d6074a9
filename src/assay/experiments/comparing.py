"""Two systems beside one another."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from assay.app import Assay
from assay.contracts.report_reading import from_json
from assay.errors import GenerationError, GenerationNotFound, InputError
from assay.experiments.bench import Bench
from assay.experiments.variants import Variant, variant_in, variant_of
from assay.model.comparisons import Comparison, Side
from assay.model.generations import Generation
from assay.model.ranking import Mode
from assay.ports import Progress
from assay.release.generation_names import CANDIDATE, LIVE
from assay.validation.comparing import compare_sides
from assay.validation.judgments.denominators import removal_notes
from assay.validation.measuring import Measures

_Meant = Side | Variant | Path
"""A side of a comparison, before it is measured."""

_REPORT, _SETTINGS = ".json", ".toml"
_KINDS = (
    "Name a report (validation_results/report_….json), a generation (its id, `live` or `candidate`), settings "
    "(`mode=sparse`, `mode=hybrid,dense_weight=1.0`, a .toml file), or a TREC run file."
)


def compare(
    assay: Assay,
    named: tuple[str, str],
    *,
    measures: Sequence[str] = (),
    test_set: Path | None = None,
    generation: str | None = None,
    allow_removals: bool = False,
    progress: Progress,
) -> Comparison:
    """Compare two systems. Only what is not a report is measured now.

    A judgment that either generation has counts on both sides.

    named: A and B: see _KINDS.
    measures: those to compare; the headline ones if empty.
    test_set: file of labelled queries for what is measured now; None for that of [validation].
    generation: which one settings are tried on; None for what is live, or the candidate where nothing is.
    allow_removals: pages that only the older generation has were removed on purpose, and count on neither side.

    Raises InputError, GenerationError, CatalogError, VectorStoreError, EmbeddingError.
    """
    further = [name for name in measures if name.lower() not in {"any", "all"}]
    with ExitStack() as opened:
        bench = Bench(assay, opened, test_set, generation, Measures.parse(further), progress)
        meant = [_meant(bench, one) for one in named]
        removed = bench.agree(_generations(bench, meant), allow_removals=allow_removals) if _is_measured(meant) else ()
        sides = [_side(bench, one) for one in meant]
    a, b = _distinct(*joined_by_text(*sides))
    return compare_sides(a, b, measures, notes=removal_notes(removed))


def joined_by_text(a: Side, b: Side) -> tuple[Side, Side]:
    """The sides with topics by their queries' text, where one has no ids and knows its topics by that."""
    if _without_ids(a) is _without_ids(b):
        return a, b
    by_text = tuple(replace(side, topics={one.text: one for one in side.topics.values()}) for side in (a, b))
    if any(len(new.topics) != len(old.topics) for new, old in zip(by_text, (a, b), strict=True)):
        raise InputError(
            "One side has no topic ids, and the other asks a query twice, so its topics cannot be told apart.",
            hint="Validate again with the same test set.",
        )
    return by_text[0], by_text[1]


def _without_ids(side: Side) -> bool:
    return bool(side.topics) and all(one.id == one.text for one in side.topics.values())


def _distinct(a: Side, b: Side) -> tuple[Side, Side]:
    """The sides with names that tell them apart."""
    if a.name != b.name:
        return a, b
    return replace(a, name=f"A ({a.name})"), replace(b, name=f"B ({b.name})")


def _is_measured(meant: Sequence[_Meant]) -> bool:
    return any(not isinstance(one, Side) for one in meant)


def _generations(bench: "Bench", meant: Sequence[_Meant]) -> Iterator[Generation]:
    """The generations of both sides; that of a report only where it is still kept."""
    for one in meant:
        if not isinstance(one, Side):
            yield bench.generation(one.generation if isinstance(one, Variant) else None)
        elif one.provenance.generation is not None:
            with suppress(GenerationError):
                yield bench.generation(one.provenance.generation)


def _side(bench: "Bench", meant: _Meant) -> Side:
    """A side of the comparison, measured now where it is no report."""
    if isinstance(meant, Side):
        return meant
    return bench.measured(meant) if isinstance(meant, Variant) else bench.run_in(meant)


def _meant(bench: "Bench", named: str) -> _Meant:
    """What a side of the command line stands for: a report, settings on a generation, or the path of a run file."""
    path = Path(named)
    if path.is_file():
        if path.suffix.lower() == _REPORT:
            report = from_json(path.read_bytes(), named)
            return Side(path.name, report.topics, report.latency, report.provenance)
        return variant_in(path, bench.settings) if path.suffix.lower() == _SETTINGS else path
    if named in {LIVE, CANDIDATE}:
        return Variant(named, bench.settings.search, named)
    if named in set(Mode) or "=" in named:
        return variant_of(named, bench.settings)
    if path.suffix.lower() in {_REPORT, _SETTINGS} or "/" in named:
        raise InputError(f"There is no file {named}.", hint=_KINDS)
    try:
        found = bench.assay.parts.catalog.generation(named)
    except GenerationNotFound:
        raise InputError(f"{named!r} is no generation, no file and no setting.", hint=_KINDS) from None
    return Variant(found.id, bench.settings.search, found.id)
