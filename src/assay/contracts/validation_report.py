"""The validation report of seed 001 (`seeds/001`), as one JSON object.

The seed's fields are at the top level, and Assay adds further keys. JSON cannot represent NaN and infinities: they
become null, or 0 where the seed requires a number.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import date

from assay.contracts.fields import finite, utc_timestamp
from assay.contracts.seed_measures import (
    compute_hash_validation_rate,
    compute_metadata_completeness,
    compute_mrr,
    compute_precision_at_k,
)
from assay.contracts.validation_entities import SCHEMA_VERSION, ValidationReport
from assay.model.evaluation import Anchoring, Finding, Interval, MeasureValue, Outcome, Resolution
from assay.model.ranking import Hit
from assay.model.validations import (
    Difference,
    LatencyFigures,
    Provenance,
    ShownOrder,
    TopicResult,
    Unjudged,
    Validation,
)

__all__ = [
    "compute_hash_validation_rate",
    "compute_metadata_completeness",
    "compute_mrr",
    "compute_precision_at_k",
    "json_schema",
    "to_dict",
    "to_json",
    "to_json_parts",
]

_PRECISION = "P@5"
_RECIPROCAL_RANK = "mrr"
_DEEPEST = 20
"""Nesting depth of a test set's free fields; deeper values become text."""


def to_json(validation: Validation) -> bytes:
    """The report as JSON in UTF-8, for a file; a lone surrogate becomes a question mark."""
    return b"".join(to_json_parts(validation))


def to_json_parts(validation: Validation) -> Iterator[bytes]:
    """The report of to_json in parts, because the test cases of many topics may need gigabytes."""
    frame = _dumped(_fields(validation, []))
    before, cases, after = frame.partition(_NO_CASES)
    assert cases, "test_cases is a top-level key"
    yield before.encode("utf-8", "replace")
    opened = _NO_CASES.removesuffix("],\n")
    for place, result in enumerate(validation.topics):
        case = _dumped(_case(result)).replace("\n", "\n    ")
        yield f"{',' if place else opened}\n    {case}".encode("utf-8", "replace")
    yield (("\n  ],\n" if validation.topics else cases) + f"{after}\n").encode("utf-8", "replace")


_NO_CASES = '\n  "test_cases": [],\n'
"""Unique in the report: JSON strings contain no line break, and nested keys have a deeper indent."""


def _dumped(fields: Mapping[str, object]) -> str:
    return json.dumps(fields, ensure_ascii=False, allow_nan=False, indent=2)


def to_dict(validation: Validation) -> dict[str, object]:
    """The report as a plain dict with the fields of ValidationReport."""
    return _fields(validation, [_case(result) for result in validation.topics])


def _fields(validation: Validation, cases: list[dict[str, object]]) -> dict[str, object]:
    total = validation.latency
    verdict = validation.verdict
    return {
        "timestamp": utc_timestamp(validation.started_at),
        "total_queries": len(validation.topics),
        "avg_precision_at_5": _share(_mean(validation, _PRECISION)),
        "mrr": _share(_mean(validation, _RECIPROCAL_RANK)),
        "avg_latency_ms": _positive(total.mean_ms if total else None),
        "p95_latency_ms": _positive(total.p95_ms if total else None),
        "p99_latency_ms": _positive(total.p99_ms if total else None),
        "metadata_completeness_rate": _share(validation.completeness),
        "hash_validation_pass_rate": _share(validation.hashes),
        "test_cases": cases,
        "summary": verdict.summary,
        "issues": [*map(_issue, _not_passed(verdict.findings)), *validation.advice],
        "schema_version": SCHEMA_VERSION,
        "verdict": verdict.outcome.value,
        "gate": {
            "fingerprint": verdict.gate,
            "precision_target": finite(validation.precision_target) or 0.0,
            "findings": [_part(finding) for finding in verdict.findings],
        },
        "criteria": [_criterion(validation, name) for name in _CRITERIA],
        "measures": _measures(validation.measures),
        "groups": {name: _measures(values) for name, values in validation.groups.items()},
        "intervals": {
            value.name: [value.interval.low, value.interval.high]
            for value in validation.measures
            if _interval(value.interval) and value.interval
        },
        "shown_order": _shown_order(validation.shown),
        "resolution": _resolution(validation),
        "latency": _part(validation.latency) if validation.latency else None,
        "against_live": [_difference(difference) for difference in validation.against_live],
        "unjudged": [_unjudged(hit) for hit in validation.unjudged],
        "results": validation.results,
        "seconds": _positive(validation.seconds),
        "provenance": _part(validation.provenance),
        "notes": list(verdict.notes),
    }


def json_schema() -> dict[str, object]:
    """The JSON Schema (2020-12) of a report."""
    schema = ValidationReport.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


# --- seed 001 ------------------------------------------------------------------------------------------------------


def _case(result: TopicResult) -> dict[str, object]:
    topic = result.topic
    hits, labels = result.hits[: topic.top_k], result.labels[: topic.top_k]
    return {
        "query": {"text": topic.text, "top_k": topic.top_k, "query_type": topic.type.value},
        "expected_criteria": _plain(topic.expected_criteria),
        "actual_results": [_result(hit) for hit in hits],
        "relevance_labels": [label or 0 for label in labels],
        "precision_at_k": sum((label or 0) >= 1 for label in labels) / topic.top_k,
        "rank_of_best": result.rank_of_best,
        "id": topic.id,
        "category": topic.category.value if topic.category else None,
        "expects_answer": topic.expects_answer,
        "reached": result.reached,
        "error": result.error,
        "latency_ms": None if result.total_ms is None else _positive(result.total_ms),
        "measures": {name: finite(value) for name, value in result.values.items()},
        "upper": {name: finite(value) for name, value in result.upper.items()},
        "judged": [label is not None for label in labels],
        "chunk_ids": [hit.chunk.id for hit in hits],
        "relevant": result.relevant,
        "paraphrase_of": topic.paraphrase_of,
        "derived": topic.derived,
    }


def _result(hit: Hit) -> dict[str, object]:
    chunk = hit.chunk
    return {
        "similarity_score": _share(hit.known_similarity),
        "content": chunk.text,
        "url": chunk.document.url,
        "title": chunk.document.title,
        "chunk_index": chunk.position,
        "timestamp": utc_timestamp(chunk.created_at) if chunk.created_at else "",
        "content_hash": chunk.content_hash.lower(),
    }


def _issue(finding: Finding) -> str:
    return f"{finding.check}: {finding.detail or finding.limit}"


def _not_passed(findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.outcome is not Outcome.PASS]


_CRITERIA = {
    "precision_at_5": ("precision", "at least 80% of the queries reach precision@5 of 0.80"),
    "mrr": ("MRR", "MRR is at least 0.70"),
    "metadata_completeness": ("metadata of hits", "100% of the hits have every field"),
    "hash_validation": ("hashes of hits", "100% of the hits have the hash of their text"),
    "p95_latency": ("latency", "95% of the searches take less than 2000 ms"),
}
"""The seed's five criteria: the gate's check of each, and the seed's limit in case that check did not run."""


def _criterion(validation: Validation, name: str) -> dict[str, object]:
    check, limit = _CRITERIA[name]
    finding = next((one for one in validation.verdict.findings if one.check == check), None)
    if finding is None:
        derived = bool(validation.topics) and all(result.topic.derived for result in validation.topics)
        why = "derived" if derived else "not judged" if validation.topics else "no test set"
        return {"name": name, "value": None, "limit": limit, "met": None, "reason": why}
    met = {Outcome.PASS: True, Outcome.FAIL: False, Outcome.INCONCLUSIVE: None}[finding.outcome]
    reason = None if met else finding.detail or "not decided"
    return {"name": name, "value": finite(finding.value), "limit": finding.limit, "met": met, "reason": reason}


# --- what Assay adds -----------------------------------------------------------------------------------------------


def _part(part: Finding | LatencyFigures | Provenance) -> object:
    """A part whose fields in the report are those of its dataclass."""
    return _plain(asdict(part))


def _measures(measures: Sequence[MeasureValue]) -> dict[str, object]:
    return {
        measure.name: {
            "value": finite(measure.value),
            "measured": measure.measured,
            "topics": measure.topics,
            "interval": _interval(measure.interval),
            "upper": finite(measure.upper),
            "tied": list(measure.tied) if measure.tied and all(map(math.isfinite, measure.tied)) else None,
        }
        for measure in measures
    }


def _interval(interval: Interval | None) -> dict[str, object] | None:
    if interval is None or not (math.isfinite(interval.low) and math.isfinite(interval.high)):
        return None
    return {"low": interval.low, "high": interval.high, "level": _share(interval.level)}


def _shown_order(shown: ShownOrder | None) -> dict[str, object] | None:
    if shown is None:
        return None
    return {"contract_mode": shown.contract_mode.value, "mrr": _measures([shown.mrr])[shown.mrr.name]}


def _resolution(validation: Validation) -> dict[str, object]:
    counts: dict[str, object] = {kind.value: validation.anchoring.get(kind, 0) for kind in Anchoring}
    not_exact = [
        _judgment(result, place, resolution)
        for result in validation.topics
        for place, resolution in enumerate(result.resolutions)
        if resolution.anchoring is not Anchoring.EXACT
    ]
    return counts | {"not_exact": not_exact}


def _judgment(result: TopicResult, place: int, resolution: Resolution) -> dict[str, object]:
    judgment = result.topic.judgments[place]
    quote = judgment.passage.quote
    return {
        "topic": result.topic.id,
        "judgment": place + 1,
        "label": judgment.label,
        "anchoring": resolution.anchoring.value,
        "url": resolution.url or judgment.passage.url,
        "quote": quote.exact if quote else None,
        "chunk_ids": list(resolution.chunk_ids),
        "reason": resolution.reason,
    }


def _difference(difference: Difference) -> dict[str, object]:
    return {
        "measure": difference.measure,
        "topics": difference.topics,
        "live": finite(difference.a) or 0.0,
        "this": finite(difference.b) or 0.0,
        "difference": finite(difference.difference) or 0.0,
        "interval": _interval(difference.interval),
        "p": _chance(difference.p),
        "adjusted_p": _chance(difference.adjusted_p),
        "detectable": finite(difference.detectable),
    }


def _unjudged(unjudged: Unjudged) -> dict[str, object]:
    chunk = unjudged.hit.chunk
    return {
        "topic": unjudged.topic_id,
        "rank": unjudged.rank,
        "chunk_id": chunk.id,
        "url": chunk.section_url,
        "title": chunk.document.title,
        "similarity_score": _share(unjudged.hit.known_similarity),
        "why": unjudged.why,
    }


# --- numbers and free fields ---------------------------------------------------------------------------------------


def _mean(validation: Validation, name: str) -> float | None:
    measure = validation.measure(name)
    return measure.value if measure else None


def _share(value: float | None) -> float:
    return min(max(finite(value) or 0.0, 0.0), 1.0)


def _chance(p: float) -> float:
    """A p-value; 1 if it is not finite."""
    return _share(p) if math.isfinite(p) else 1.0


def _positive(value: float | None) -> float:
    return max(finite(value) or 0.0, 0.0)


def _plain(value: object, depth: int = 0) -> object:
    """Convert values of test sets and settings to JSON values; dates and deeply nested values become text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return finite(value)
    if isinstance(value, date):
        return value.isoformat()
    if depth < _DEEPEST and isinstance(value, Mapping):
        return {str(name): _plain(inner, depth + 1) for name, inner in value.items()}
    if depth < _DEEPEST and isinstance(value, list | tuple | set | frozenset):
        ordered = sorted(value, key=str) if isinstance(value, set | frozenset) else value
        return [_plain(inner, depth + 1) for inner in ordered]
    return str(value)
