"""Comparison of two systems on the same topics."""

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
from assay.path_checks import is_file
from assay.ports import Progress
from assay.release.generation_names import CANDIDATE, LIVE
from assay.validation.compared_answers import check_lost_topics
from assay.validation.comparing import compare_sides
from assay.validation.gate.lost_topics import no_page_texts
from assay.validation.judgments.corpus import page_texts
from assay.validation.judgments.denominators import removal_notes
from assay.validation.running.measuring import Measures

_Input = Side | Variant | Path
"""An input of a comparison: a report, settings to measure, or a run file to measure."""

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
    """Compare two systems. Reports are compared as recorded; everything else is measured now.

    A judgment found in either generation counts on both sides.

    named: A and B; see _KINDS.
    measures: names of measures; the headline ones if empty.
    test_set: file of labelled queries for measuring now; None for that of [validation].
    generation: the generation for settings and run files; None for the live one, else the candidate.
    allow_removals: leave out judgments on pages that only the older generation has.

    Raises InputError, GenerationError, CatalogError, VectorStoreError, EmbeddingError.
    """
    further = [name for name in measures if name.lower() not in {"any", "all"}]
    with ExitStack() as opened:
        bench = Bench(assay, opened, test_set, generation, Measures.parse(further), progress)
        inputs = [_parse_input(bench, one) for one in named]
        measured = any(not isinstance(one, Side) for one in inputs)
        removed = bench.agree(_generations(bench, inputs), allow_removals=allow_removals) if measured else ()
        sides = [_side(bench, one) for one in inputs]
    a, b = _distinct(*joined_by_text(*sides))
    comparison = compare_sides(a, b, measures, notes=(*bench.notes, *removal_notes(removed)))
    known = a.results and a.provenance.generation and assay.parts.adopted is None
    texts = page_texts(assay.parts.catalog, a.provenance.generation or "") if known else no_page_texts
    lost = check_lost_topics(a, b, assay.settings.gate.max_lost_topics, texts, allow_removals=allow_removals)
    return replace(comparison, lost_topics=lost)


def joined_by_text(a: Side, b: Side) -> tuple[Side, Side]:
    """Key the topics of both sides by query text if one side has no topic ids. Raises InputError for equal queries."""
    if _without_ids(a) is _without_ids(b):
        return a, b
    by_text = tuple(replace(side, topics={one.text: one for one in side.topics.values()}) for side in (a, b))
    if any(len(new.topics) != len(old.topics) for new, old in zip(by_text, (a, b), strict=True)):
        raise InputError(
            "One side has no topic ids, and the other has the same query twice, so topics cannot be matched.",
            hint="Validate again with the same test set.",
        )
    return by_text[0], by_text[1]


def _without_ids(side: Side) -> bool:
    return bool(side.topics) and all(one.id == one.text for one in side.topics.values())


def _distinct(a: Side, b: Side) -> tuple[Side, Side]:
    """Give the sides different names."""
    if a.name != b.name:
        return a, b
    return replace(a, name=f"A ({a.name})"), replace(b, name=f"B ({b.name})")


def _generations(bench: "Bench", inputs: Sequence[_Input]) -> Iterator[Generation]:
    """Yield the generations of both inputs; a report's only if it still exists."""
    for one in inputs:
        if not isinstance(one, Side):
            yield bench.generation(one.generation if isinstance(one, Variant) else None)
        elif one.provenance.generation is not None:
            with suppress(GenerationError):
                yield bench.generation(one.provenance.generation)


def _side(bench: "Bench", given: _Input) -> Side:
    """Return the side of a report, or measure it now."""
    if isinstance(given, Side):
        return given
    return bench.measure(given) if isinstance(given, Variant) else bench.measure_run_file(given)


def _parse_input(bench: "Bench", named: str) -> _Input:
    """Parse a side: a report, settings on a generation, or the path of a run file. Raises InputError."""
    path = Path(named)
    if is_file(path):
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
        raise InputError(f"{named!r} is neither a generation nor a file nor a setting.", hint=_KINDS) from None
    return Variant(found.id, bench.settings.search, found.id)
