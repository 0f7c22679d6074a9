"""How a validation is put into words, whatever it is written as: the verdict in a sentence, numbers, texts, order."""

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime

from assay.model.counting import counted
from assay.model.evaluation import Finding, Outcome
from assay.model.validations import TopicResult, Validation

NOTHING = "–"
"""Stands where there is no value; a zero is a value."""

MAIN_MEASURES = ("P@5", "nDCG@10")
"""What topics are compared by, the first before the second."""

_TARGETS = {"candidate": "The candidate", "live": "The live generation", "retired": "The retired generation"}
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""What neither HTML nor XML 1.0 may hold."""

_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Invisible characters that turn the order of all that follows."""


def printable(text: str) -> str:
    """A text of which every character may stand in a file and is seen where it stands."""
    return _DIRECTIONS.sub("\ufffd", _CONTROLS.sub("\ufffd", text))


def short(text: str, most: int) -> str:
    """A text on one line, cut where it is long."""
    line = " ".join(printable(text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def cut(text: str, most: int) -> str:
    """A text with its lines, cut where it is long."""
    clean = printable(text).strip("\n")
    return clean if len(clean) <= most else f"{clean[: most - 1].rstrip()}…"


def number(value: float | None, digits: int = 3) -> str:
    """A measure's value."""
    return f"{value:z.{digits}f}" if value is not None and math.isfinite(value) else NOTHING


def plain_number(value: float | None) -> str:
    """A value whose unit is said elsewhere, with the digits that matter."""
    if value is None or not math.isfinite(value):
        return NOTHING
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def milliseconds(value: float | None) -> str:
    """A duration; three digits are enough to compare."""
    if value is None or not math.isfinite(value):
        return NOTHING
    return f"{value:,.0f} ms" if value >= 100 else f"{value:.3g} ms"


def moment(when: datetime) -> str:
    """A moment in UTC, to the second."""
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def subject(validation: Validation) -> str:
    """What was judged, as the beginning of a sentence."""
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
    """What was reached, where labelled queries were asked; else how many checks passed."""
    verdict = validation.verdict
    if verdict.headline:
        return verdict.headline
    passed = sum(finding.outcome is Outcome.PASS for finding in verdict.findings)
    return f"{passed} of {counted(len(verdict.findings), 'check')} passed."


def not_passed(validation: Validation) -> list[Finding]:
    """What did not pass: the failures, then what could not be decided."""
    findings = validation.verdict.findings
    return [
        *(finding for finding in findings if finding.outcome is Outcome.FAIL),
        *(finding for finding in findings if finding.outcome is Outcome.INCONCLUSIVE),
    ]


def worst_first(topics: Sequence[TopicResult]) -> list[TopicResult]:
    """Topics that failed, then those that expect an answer from the worst to the best, then the others likewise."""
    return sorted(topics, key=_badness)


def _badness(result: TopicResult) -> tuple[object, ...]:
    values = (result.values.get(name) for name in MAIN_MEASURES)
    known = [value if value is not None and math.isfinite(value) else 2.0 for value in values]
    return (result.error is None, not result.topic.expects_answer, *known, result.topic.id)
