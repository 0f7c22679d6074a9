"""Text shared by all report formats: the verdict as a sentence, numbers, truncation, order."""

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime

from assay.model.bounds import shortened
from assay.model.counting import counted
from assay.model.evaluation import Finding, Outcome
from assay.model.validations import TopicResult, Validation

NOTHING = "–"
"""Placeholder for a missing value; zero is a value."""

MAIN_MEASURES = ("P@5", "nDCG@10")
"""The measures that order topics."""

_TARGETS = {"candidate": "The candidate", "live": "The live generation", "retired": "The retired generation"}
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""Characters that are invalid in HTML or XML 1.0."""

_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Invisible characters that change the direction of text."""


def printable(text: str) -> str:
    """Replace characters that are invalid in the formats or change the direction of text."""
    return _DIRECTIONS.sub("\ufffd", _CONTROLS.sub("\ufffd", text))


def short(text: str, most: int) -> str:
    """The text on one line, truncated."""
    return shortened(" ".join(printable(text).split()), most)


def cut(text: str, most: int) -> str:
    """The text with its lines, truncated."""
    return shortened(printable(text).strip("\n"), most)


def number(value: float | None, digits: int = 3) -> str:
    """A measure's value."""
    return f"{value:z.{digits}f}" if value is not None and math.isfinite(value) else NOTHING


def plain_number(value: float | None) -> str:
    """A value without its unit, with four significant digits."""
    if value is None or not math.isfinite(value):
        return NOTHING
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def milliseconds(value: float | None) -> str:
    """A duration with three significant digits."""
    if value is None or not math.isfinite(value):
        return NOTHING
    return f"{value:,.0f} ms" if value >= 100 else f"{value:.3g} ms"


def moment(when: datetime) -> str:
    """A moment in UTC, to the second."""
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def subject(validation: Validation) -> str:
    """The target of the validation, as the subject of a sentence."""
    target = validation.provenance.target
    return _TARGETS.get(target, short(target, 120))


def verdict_sentence(validation: Validation) -> str:
    """The verdict, without a full stop."""
    findings = validation.verdict.findings
    failed = sum(finding.outcome is Outcome.FAIL for finding in findings)
    undecided = sum(finding.outcome is Outcome.INCONCLUSIVE for finding in findings)
    if validation.verdict.outcome is Outcome.PASS:
        return f"{subject(validation)} passed"
    more = f", and {undecided} could not be decided" if undecided else ""
    if validation.verdict.outcome is Outcome.FAIL:
        return f"{subject(validation)} did not pass: {failed} of {counted(len(findings), 'check')} failed{more}"
    return f"{subject(validation)} could not be judged: {undecided} of {counted(len(findings), 'check')} " + (
        "is undecided" if undecided == 1 else "are undecided"
    )


def reached_sentence(validation: Validation) -> str:
    """The quality reached on labelled queries; without any, the number of passed checks."""
    verdict = validation.verdict
    if verdict.headline:
        return verdict.headline
    passed = sum(finding.outcome is Outcome.PASS for finding in verdict.findings)
    return f"{passed} of {counted(len(verdict.findings), 'check')} passed."


def not_passed(validation: Validation) -> list[Finding]:
    """The failed findings, then the undecided ones."""
    findings = validation.verdict.findings
    return [
        *(finding for finding in findings if finding.outcome is Outcome.FAIL),
        *(finding for finding in findings if finding.outcome is Outcome.INCONCLUSIVE),
    ]


def worst_first(topics: Sequence[TopicResult]) -> list[TopicResult]:
    """Order topics: failed ones, then those that expect an answer from the worst to the best, then the others."""
    return sorted(topics, key=_badness)


def _badness(result: TopicResult) -> tuple[object, ...]:
    values = (result.values.get(name) for name in MAIN_MEASURES)
    known = [value if value is not None and math.isfinite(value) else 2.0 for value in values]
    return (result.error is None, not result.topic.expects_answer, *known, result.topic.id)
