"""The report as JUnit XML, which build servers show: one suite for the limits of the gate, one for the topics.

A missed limit is a failure; an undecided limit or a failed topic is an error, so that no build server counts it as a
success. A topic that misses its required precision is a failure, or is skipped with its value if the verdict is PASS:
the file of a PASS has no failures. Of very many topics, only the worst are listed.
"""

from collections.abc import Iterable
from datetime import UTC
from xml.etree import ElementTree as ET

from assay.model.counting import counted
from assay.model.evaluation import Finding, Outcome
from assay.model.validations import TopicResult, Validation
from assay.validation.report.wording import (
    cut,
    number,
    printable,
    reached_sentence,
    short,
    verdict_sentence,
    worst_first,
)

_DETAIL = 4_000
_HITS = 5
_HIT = 160

_MOST_TOPICS = 5_000
"""Largest number of listed topics; build servers keep every file."""


def to_junit(validation: Validation) -> str:
    """The XML document."""
    passed = validation.verdict.outcome is Outcome.PASS
    root = ET.Element("testsuites", {"name": "assay validate"})
    began = f"{validation.started_at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}"  # build servers take no zone
    gate = _suite(root, "gate", began, 0.0, (_check(finding) for finding in validation.verdict.findings))
    _properties(gate, validation)
    seconds = sum(result.total_ms or 0.0 for result in validation.topics) / 1_000.0
    told = {result.topic.id for result in worst_first(validation.topics)[:_MOST_TOPICS]}
    shown = [result for result in validation.topics if result.topic.id in told]
    cases = (_topic(result, validation.precision_target, passed=passed) for result in shown)
    topics = _suite(root, "topics", began, seconds, cases)
    if (more := len(validation.topics) - len(shown)) > 0:
        left = f"{counted(more, 'topic')} with better values are left out here. The JSON report has all topics."
        ET.SubElement(topics, "system-out").text = left
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    root.set("time", f"{validation.seconds:.3f}")
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(root: ET.Element, name: str, began: str, seconds: float, cases: Iterable[ET.Element]) -> ET.Element:
    suite = ET.SubElement(root, "testsuite", {"name": f"assay.{name}", "timestamp": began, "time": f"{seconds:.3f}"})
    suite.extend(cases)
    suite.set("tests", str(len(suite)))
    for count, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(count, str(sum(case.find(kind) is not None for case in suite)))
    return suite


def _properties(suite: ET.Element, validation: Validation) -> None:
    """Insert the provenance; the schema requires it before the test cases."""
    provenance = validation.provenance
    facts = {
        "verdict": validation.verdict.outcome.value,
        "sentence": f"{verdict_sentence(validation)}. {reached_sentence(validation)}",
        "target": provenance.target,
        "generation": provenance.generation,
        "content_fingerprint": provenance.content_fingerprint,
        "test_set": provenance.test_set,
        "test_set_fingerprint": provenance.test_set_fingerprint,
        "gate": provenance.gate,
        **{f"measure {measure.name}": number(measure.value, 6) for measure in validation.measures},
        **{f"version {name}": version for name, version in provenance.versions.items()},
    }
    properties = ET.Element("properties")
    for name, value in facts.items():
        if value is not None:
            ET.SubElement(properties, "property", {"name": printable(name), "value": printable(value)})
    suite.insert(0, properties)


def _check(finding: Finding) -> ET.Element:
    case = ET.Element("testcase", {"classname": "assay.gate", "name": short(finding.check, 200), "time": "0.000"})
    if finding.outcome is not Outcome.PASS:
        kind = "failure" if finding.outcome is Outcome.FAIL else "error"
        more = finding.count - len(finding.examples)
        lines = [finding.detail, f"required: {finding.limit}", *finding.examples]
        lines += [f"and {more:,} more"] if more > 0 else []
        message = short(finding.detail or finding.limit, 400)
        _outcome(case, kind, message, finding.outcome.value, lines)
    return case


def _topic(result: TopicResult, target: float, *, passed: bool) -> ET.Element:
    topic = result.topic
    name = f"{topic.id}: {topic.text}" if topic.text.strip() else topic.id
    took = f"{(result.total_ms or 0.0) / 1_000.0:.3f}"
    classname = f"assay.topics.{topic.type.value}"
    case = ET.Element("testcase", {"classname": classname, "name": short(name, 300), "time": took})
    if result.error is not None:
        _outcome(case, "error", short(result.error, 400), "failed", [result.error])
    elif result.reached is False:
        message = f"P@5 {number(result.values.get('P@5'), 2)}; required: {target:g}"
        if passed:
            ET.SubElement(case, "skipped", {"message": f"{message}; enough other topics reach it"})
        else:
            _outcome(case, "failure", message, "precision", _found(result))
    return case


def _found(result: TopicResult) -> list[str]:
    """The topic's first hits with their labels."""
    if not result.hits:
        return ["It found nothing."]
    pairs = zip(result.hits[:_HITS], result.labels, strict=False)
    return [
        f"{hit.rank}. {'not judged' if label is None else f'label {label}'}: "
        f"{short(hit.chunk.section_url, _HIT)} | {short(hit.chunk.text, _HIT)}"
        for hit, label in pairs
    ]


def _outcome(case: ET.Element, kind: str, message: str, what: str, lines: Iterable[str]) -> None:
    element = ET.SubElement(case, kind, {"message": message, "type": what})
    element.text = cut("\n".join(line for line in lines if line), _DETAIL)
