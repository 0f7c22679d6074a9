"""Two systems beside one another."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from assay.app import CANDIDATE, Assay
from assay.contracts.report_reading import from_json
from assay.errors import GenerationNotFound, InputError
from assay.experiments.bench import LIVE, Bench
from assay.model.comparisons import Comparison, Side
from assay.model.ranking import Mode
from assay.ports import Progress
from assay.validation.comparing import compare_sides
from assay.validation.measuring import Measures
from assay.variants import Variant, variant_in, variant_of

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
    progress: Progress,
) -> Comparison:
    """Compare two systems. Only what is not a report is measured now.

    named: A and B: see _KINDS.
    measures: those to compare; the headline ones if empty.
    test_set: file of labelled queries for what is measured now; None for that of [validation].
    generation: which one settings are tried on; None for what is live, or the candidate where nothing is.

    Raises InputError, GenerationError, CatalogError, VectorStoreError, EmbeddingError.
    """
    further = [name for name in measures if name.lower() not in {"any", "all"}]
    with ExitStack() as opened:
        bench = Bench(assay, opened, test_set, generation, Measures.named(further), progress)
        sides = [_side(bench, one) for one in named]
    a, b = _distinct(*joined_by_text(*sides))
    return compare_sides(a, b, measures)


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


def _side(bench: "Bench", named: str) -> Side:
    """What a side of the command line stands for."""
    path = Path(named)
    if path.is_file():
        if path.suffix.lower() == _REPORT:
            report = from_json(path.read_bytes(), named)
            return Side(path.name, report.topics, report.latency, report.provenance)
        if path.suffix.lower() == _SETTINGS:
            return bench.measured(variant_in(path, bench.settings))
        return bench.run_in(path)
    if named in {LIVE, CANDIDATE}:
        return bench.measured(Variant(named, bench.settings.search, named))
    if named in set(Mode) or "=" in named:
        return bench.measured(variant_of(named, bench.settings))
    if path.suffix.lower() in {_REPORT, _SETTINGS} or "/" in named:
        raise InputError(f"There is no file {named}.", hint=_KINDS)
    try:
        found = bench.assay.catalog.generation(named)
    except GenerationNotFound:
        raise InputError(f"{named!r} is no generation, no file and no setting.", hint=_KINDS) from None
    return bench.measured(Variant(found.id, bench.settings.search, found.id))
