"""The JSON of `assay compare --json` and `assay validate --sweep --json`."""

from collections.abc import Mapping
from dataclasses import asdict, fields

from assay.contracts.fields import finite, utc_timestamp
from assay.model.comparisons import ChangedTopic, ComparedMeasure, Comparison, Side, Sweep, SweptMean, SweptRow
from assay.model.evaluation import Finding
from assay.model.validations import Difference, Percentiles

SCHEMA_VERSION = 1


def comparison_body(comparison: Comparison) -> dict[str, object]:
    """A comparison as one JSON object. Differences are b - a."""
    return {
        "schema_version": SCHEMA_VERSION,
        "a": _side(comparison.a, comparison.judged[0], comparison.lost[0]),
        "b": _side(comparison.b, comparison.judged[1], comparison.lost[1]),
        "topics": comparison.topics,
        "measures": {one.difference.measure: _measure(one) for one in comparison.measures},
        "ordered_by": comparison.ordered_by,
        "changed": [_changed(one) for one in comparison.changed],
        "differing": {name: {"a": a, "b": b} for name, (a, b) in comparison.differing.items()},
        "lost_topics": None if comparison.lost_topics is None else _finding(comparison.lost_topics),
        "left_out": list(comparison.left_out),
        "warnings": list(comparison.warnings),
    }


def sweep_body(sweep: Sweep) -> dict[str, object]:
    """A sweep as one JSON object. Differences are a row's value - the first row's."""
    return {
        "schema_version": SCHEMA_VERSION,
        "timestamp": utc_timestamp(sweep.started_at),
        "seconds": sweep.seconds,
        "generation": sweep.generation,
        "documents": sweep.documents,
        "test_set": sweep.test_set,
        "test_set_fingerprint": sweep.test_set_fingerprint,
        "measure": sweep.measure,
        "best": sweep.best,
        "detectable": finite(sweep.detectable),
        "conclusions": list(sweep.words),
        "notes": list(sweep.notes),
        "rows": [_row(row) for row in sweep.rows],
    }


def _finding(found: Finding) -> dict[str, object]:
    return asdict(found) | {"outcome": found.outcome.value, "value": finite(found.value)}


def _side(side: Side, judged: float | None, lost: int) -> dict[str, object]:
    provenance = side.provenance
    return {
        "name": side.name,
        "target": provenance.target,
        "generation": provenance.generation,
        "test_set": provenance.test_set,
        "test_set_fingerprint": provenance.test_set_fingerprint,
        "topics": len(side.topics),
        "judged@5": finite(judged),
        "lost_judgments": lost,
        "latency": _latency(side.latency),
        "latency_note": side.latency_note,
    }


def _measure(one: ComparedMeasure) -> dict[str, object]:
    return {**_difference(one.difference), "conclusion": one.conclusion.value, "words": one.words}


def _difference(found: Difference) -> dict[str, object]:
    figures = asdict(found) | {"detectable": finite(found.detectable)}
    del figures["measure"]
    return figures


def _changed(topic: ChangedTopic) -> dict[str, object]:
    found = asdict(topic) | {"change": topic.change}
    return found | {"rank_of_best": {"a": found.pop("rank_a"), "b": found.pop("rank_b")}}


def _row(row: SweptRow) -> dict[str, object]:
    return {
        "name": row.name,
        "settings": dict(row.described),
        "chunks": row.chunks,
        "measures": {one.measure: _mean(one) for one in row.means},
        "judged@5": finite(row.judged),
        "latency": _latency(row.latency),
        "topics": row.topics,
        "failed": row.failed,
        "lost_judgments": row.lost,
        "tied_with_best": row.tied_with_best,
        "open_to_best": row.open_to_best,
        "open_to_first": row.open_to_first,
    }


def _mean(mean: SweptMean) -> Mapping[str, object]:
    return {
        "value": finite(mean.value),
        "interval": None if mean.low is None or mean.high is None else {"low": mean.low, "high": mean.high},
        "against_first": None if mean.against_first is None else _difference(mean.against_first),
    }


def _latency(figures: Percentiles | None) -> dict[str, object] | None:
    """The fields of Percentiles, without those of its subclasses."""
    return None if figures is None else {one.name: getattr(figures, one.name) for one in fields(Percentiles)}
