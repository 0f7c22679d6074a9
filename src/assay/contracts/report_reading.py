"""Parse a stored validation report for a comparison: one of Assay, or one of seed 001's own code."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, ValidationError

from assay.contracts.json_object import read_json
from assay.contracts.validation_entities import (
    SCHEMA_VERSION,
    Moment,
    ReportCase,
    ReportMeasure,
    ReportModel,
    ReportQuery,
    Share,
    ValidationReport,
)
from assay.errors import InputError
from assay.model.evaluation import MeasureValue, Outcome
from assay.model.field_errors import field_error, field_path
from assay.model.validations import Provenance, StoredReport, StoredTopic

_MOST_PROBLEMS = 3


class _ReadCase(ReportCase):
    # Results are not checked again: a report may contain unsound ones, and says so.
    actual_results: list[object]  # type: ignore[assignment]


class _ReadReport(ValidationReport):
    test_cases: list[_ReadCase]  # type: ignore[assignment]


class _SeedCase(ReportModel):
    """The fields of a test case that a comparison needs."""

    query: ReportQuery
    precision_at_k: Share
    rank_of_best: Annotated[int, Field(ge=1)] | None


class _SeedReport(ReportModel):
    """The fields of a seed 001 report that a comparison needs."""

    timestamp: Annotated[Moment, Field(strict=False)]
    avg_precision_at_5: Share
    mrr: Share
    test_cases: list[_SeedCase]
    summary: str


def from_json(content: bytes, name: str) -> StoredReport:
    """Parse a report. name: of its file, for messages.

    Raises InputError for invalid JSON, for other JSON, and for a report of another version.
    """
    return from_dict(read_json(content, name, hint=_NO_REPORT), name)


def from_dict(fields: object, name: str = "report") -> StoredReport:
    """Parse the result of to_dict. name: of its file, for messages. Raises InputError."""
    if not isinstance(fields, Mapping):
        raise InputError(f"{name}: it must be one JSON object.", hint=_NO_REPORT)
    version = fields.get("schema_version")
    if "schema_version" not in fields:
        return _of_another_suite(fields, name)
    if version != SCHEMA_VERSION or isinstance(version, bool):
        raise InputError(
            f"{name}: its schema_version is {json.dumps(version, default=str)[:40]}, but this Assay reads "
            f"{SCHEMA_VERSION}.",
            hint="Use the version of Assay that wrote it (`provenance.versions`), or validate again.",
        )
    try:
        report = _ReadReport.model_validate_json(json.dumps(dict(fields)))
    except ValidationError as error:
        raise InputError(f"{name}: {_problems(error)}", hint=_NO_REPORT) from None
    lost = Counter(one.topic for one in report.resolution.not_exact if not one.anchoring.scores)
    topics = {case.id: _stored_topic(case, lost[case.id]) for case in report.test_cases}
    if len(topics) != len(report.test_cases):
        raise InputError(f"{name}: two of its test_cases have the same id.", hint=_NO_REPORT)
    return StoredReport(
        at=report.timestamp,
        outcome=report.verdict,
        summary=report.summary,
        topics=topics,
        measures=_stored_measures(report.measures),
        groups={group: _stored_measures(values) for group, values in report.groups.items()},
        latency=report.latency,
        provenance=report.provenance,
    )


def _of_another_suite(fields: Mapping[str, object], name: str) -> StoredReport:
    """Parse a report of seed 001. Its test cases have no ids, so the query's text identifies a topic."""
    try:
        report = _SeedReport.model_validate(dict(fields))
    except ValidationError as error:
        reason = f"it is neither a report of Assay (no schema_version) nor one of seed 001: {_problems(error)}"
        raise InputError(f"{name}: {reason}", hint=_NO_REPORT) from None
    topics = {case.query.text: _seed_topic(case) for case in report.test_cases}
    if len(topics) != len(report.test_cases):
        raise InputError(f"{name}: two of its test_cases have the same query.", hint=_NO_REPORT)
    return StoredReport(
        at=report.timestamp,
        outcome=Outcome.PASS if report.summary.startswith("PASS") else Outcome.FAIL,
        summary=report.summary,
        topics=topics,
        measures=(
            MeasureValue("P@5", report.avg_precision_at_5, len(topics), len(topics)),
            MeasureValue("mrr", report.mrr, len(topics), len(topics)),
        ),
        groups={},
        latency=None,
        provenance=_UNKNOWN,
    )


def _seed_topic(case: _SeedCase) -> StoredTopic:
    values: dict[str, float | None] = {
        f"P@{case.query.top_k}": case.precision_at_k,
        "mrr": 1.0 / case.rank_of_best if case.rank_of_best else 0.0,
    }
    return StoredTopic(
        id=case.query.text,
        text=case.query.text,
        type=case.query.query_type.value,
        values=values,
        upper=values,
        rank_of_best=case.rank_of_best,
    )


_UNKNOWN = Provenance("a report without provenance", None, None, None, None, 0, 0, {}, None, None, None, "", {})
_NO_REPORT = "`assay validate` writes reports, to validation_results/report_YYYYMMDD_HHMMSS.json."


def _problems(error: ValidationError) -> str:
    """The first problems, each with its field."""
    problems = [
        f"{field_path(problem['loc'], 'the report')}: {field_error(problem['msg'])}"
        for problem in error.errors(include_url=False, include_input=False)
    ]
    more = len(problems) - _MOST_PROBLEMS
    return "; ".join(problems[:_MOST_PROBLEMS]) + (f"; and {more} more." if more > 0 else ".")


def _stored_topic(case: _ReadCase, lost: int) -> StoredTopic:
    return StoredTopic(
        id=case.id,
        text=case.query.text,
        type=case.query.query_type.value,
        category=case.category,
        values=case.measures,
        upper=case.upper,
        rank_of_best=case.rank_of_best,
        chunk_ids=tuple(case.chunk_ids),
        labels=tuple(
            label if judged else None for label, judged in zip(case.relevance_labels, case.judged, strict=True)
        ),
        latency_ms=case.latency_ms,
        error=case.error,
        relevant=case.relevant,
        lost=lost,
    )


def _stored_measures(measures: Mapping[str, ReportMeasure]) -> tuple[MeasureValue, ...]:
    return tuple(
        MeasureValue(
            name,
            measure.value,
            measure.measured,
            measure.topics,
            measure.interval,
            measure.upper,
            (measure.tied[0], measure.tied[1]) if measure.tied else None,
        )
        for name, measure in measures.items()
    )
