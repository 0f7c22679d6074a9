"""The report as a short Markdown comment on a pull request, safe against injected markup.

Texts of queries and pages are formatted as code, with every character escaped that Markdown or a code host interprets:
no link, image, mention or issue number can result.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from assay.model.counting import counted
from assay.model.evaluation import Finding, MeasureValue, Outcome
from assay.model.ranking import Hit
from assay.model.validations import Validation
from assay.validation.report.wording import NOTHING as NO_VALUE
from assay.validation.report.wording import (
    milliseconds,
    moment,
    not_passed,
    number,
    plain_number,
    printable,
    reached_sentence,
    short,
    subject,
    verdict_sentence,
    worst_first,
)

LIMIT = 60_000
"""Characters; GitHub accepts 65,536 in a comment."""

_MARKS = {Outcome.PASS: "✅", Outcome.FAIL: "❌", Outcome.INCONCLUSIVE: "❓"}
_SECTION = 6_000
"""Characters of one table or list, chosen so that all sections stay under the limit."""

_NOTES = 4_000

_ROWS = 20
_TEXT = 160
_ACTIVE = re.compile(r"[\\`*_\[\]<|~&$!^{}]|(?<!\w)@|@(?=.{0,300}\.)|#(?=\w)|:(?=//)|(?<=www)\.", re.IGNORECASE)
"""Characters that Markdown, or a code host in rendered Markdown, interprets."""

_NAMED = re.compile(r"(?:^|\W)[@!$~%&^]\w|#\d|\bGH-\d|(?:^|\W):[\w+-]+:", re.IGNORECASE)
"""Words that a code host turns into mentions, issues, labels or emoji, except in code."""


_LEADING = re.compile(r"^(\d*)([.)]|(?<!\d)[#>+=-])")
"""Beginnings of lines that make a heading, a quotation or a list."""


def to_markdown(validation: Validation) -> str:
    """The comment, at most LIMIT characters."""
    outcome = validation.verdict.outcome
    parts = [
        f"## {_MARKS[outcome]} {outcome.value}: {_words(verdict_sentence(validation), 300)}",
        _words(reached_sentence(validation), 300),
        "\n>\n".join(_fitting((f"> {_words(note)}" for note in validation.verdict.notes), "note", 0, _NOTES)),
        _findings("What did not pass", not_passed(validation)),
        _listed("What deserves a look", validation.advice),
        _measures(validation.measures),
        _topics(validation),
        _against_live(validation),
        _to_label(validation),
        _passed(validation),
        _closing(validation),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _text(text: str, most: int = _TEXT) -> str:
    """Format foreign text as code, on one line, escaped."""
    return _code(short(text, most) or " ")


def _words(text: str, most: int = 600) -> str:
    """Format a message, escaping foreign text in it; parts between backticks become code."""
    parts = short(text, most).split("`")
    if len(parts) % 2 == 0:
        return _inert("`".join(parts))
    return "".join(_code(part) if place % 2 else _inert(part) for place, part in enumerate(parts))


def _code(text: str) -> str:
    return f"<code>{_ACTIVE.sub(_as_number, text)}</code>" if text else ""


def _inert(text: str) -> str:
    """Escape prose; words that a code host would turn into a mention, issue or emoji become code."""
    words = (_code(word) if _NAMED.search(word) else _ACTIVE.sub(_as_number, word) for word in text.split(" "))
    return _LEADING.sub(lambda found: found[1] + _as_number(found[2]), " ".join(words))


def _as_number(characters: re.Match[str] | str) -> str:
    """Escape characters as HTML entities."""
    return "".join(f"&#{ord(one)};" for one in (characters if isinstance(characters, str) else characters[0]))


def _link(hit: Hit) -> str:
    url = hit.chunk.section_url
    title = _text(hit.chunk.trail or url, 100)
    if not url.lower().startswith(("https://", "http://")):
        return title
    return f"[{title}](<{quote(printable(url), safe=_URL_CHARACTERS)}>)"


_URL_CHARACTERS = "%/:=&?~#+!$,;'@.-_"


def _fitting(lines: Iterable[str], what: str, total: int, room: int = _SECTION) -> Iterator[str]:
    """The lines that fit into the room, and the number of the others."""
    shown = 0
    for line in lines:
        room -= len(line) + 1
        if room < 0 or shown == _ROWS:
            break
        shown += 1
        yield line
    if total > shown:
        yield f"\n… and {counted(total - shown, what)} more, in the report."


def _findings(title: str, findings: Sequence[Finding]) -> str:
    if not findings:
        return ""
    rows = (
        f"| {_MARKS[one.outcome]} {one.outcome.value} | {_words(one.check, 80)} | {plain_number(one.value)} | "
        f"{_words(one.limit, 200)} | {_words(one.detail, 400)} |"
        for one in findings
    )
    head = "| | check | measured | required | details |\n|---|---|---|---|---|"
    return "\n".join([f"### {title}\n", head, *_fitting(rows, "check", len(findings))])


def _listed(title: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    return "\n".join([f"### {title}\n", *_fitting((f"- {_words(line)}" for line in lines), "line", len(lines))])


def _measures(measures: Sequence[MeasureValue]) -> str:
    if not measures:
        return ""
    rows = (
        f"| {_words(one.name, 40)} | **{number(one.value)}** | {_bounds(one)} | {number(one.upper)} | "
        f"{one.measured:,} of {one.topics:,} |"
        for one in measures
    )
    head = "| measure | mean | 95% interval | at most | topics |\n|---|--:|--:|--:|--:|"
    return "\n".join(["### Measures\n", head, *_fitting(rows, "measure", len(measures))])


def _bounds(measure: MeasureValue) -> str:
    return f"{number(measure.interval.low)} – {number(measure.interval.high)}" if measure.interval else NO_VALUE


def _topics(validation: Validation) -> str:
    """Topics that failed, or missed their required precision."""
    missed = [one for one in worst_first(validation.topics) if one.error is not None or one.reached is False]
    if not missed:
        return ""
    rows = (
        f"| {_text(one.topic.text)} | {one.topic.type.value} | "
        + (
            f"failed: {_text(one.error, 120)} | | |"
            if one.error is not None
            else f"{number(one.values.get('P@5'), 2)} | {number(one.values.get('nDCG@10'), 2)} | "
            f"{one.rank_of_best or NO_VALUE} |"
        )
        for one in missed
    )
    head = "| query | type | P@5 | nDCG@10 | best at |\n|---|---|--:|--:|--:|"
    count = f"{len(missed):,} of {counted(len(validation.topics), 'topic')}"
    title = f"### Topics that missed P@5 {validation.precision_target:g}\n\n{count}, the worst first.\n"
    return "\n".join([title, head, *_fitting(rows, "topic", len(missed))])


def _against_live(validation: Validation) -> str:
    rows = [
        f"| {_words(one.measure, 40)} | {number(one.a)} | {number(one.b)} | {one.difference:+z.3f} | "
        f"{number(one.adjusted_p)} | {one.topics:,} |"
        for one in validation.against_live
    ]
    if not rows:
        return ""
    head = "| measure | live | this | difference | p | topics |\n|---|--:|--:|--:|--:|--:|"
    return "\n".join(["### Against the live generation\n", head, *_fitting(rows, "measure", len(rows))])


def _to_label(validation: Validation) -> str:
    if not validation.unjudged:
        return ""
    queries = {result.topic.id: result.topic.text for result in validation.topics}
    rows = (
        f"| {_text(queries.get(one.topic_id) or one.topic_id, 100)} | {one.rank} | {_link(one.hit)} | "
        f"{_words(one.why, 120)} |"
        for one in validation.unjudged
    )
    table = ["| query | rank | hit | why |", "|---|--:|---|---|", *_fitting(rows, "hit", len(validation.unjudged))]
    return _folded(f"{counted(len(validation.unjudged), 'hit')} to label, the most useful first", table)


def _passed(validation: Validation) -> str:
    findings = [finding for finding in validation.verdict.findings if finding.outcome is Outcome.PASS]
    if not findings:
        return ""
    rows = (f"| {_words(one.check, 80)} | {plain_number(one.value)} | {_words(one.limit, 200)} |" for one in findings)
    table = ["| check | measured | required |", "|---|--:|---|", *_fitting(rows, "check", len(findings))]
    return _folded(f"{counted(len(findings), 'check')} passed", table)


def _folded(summary: str, lines: Sequence[str]) -> str:
    return "\n".join([f"<details><summary>{summary}</summary>\n", *lines, "\n</details>"])


def _closing(validation: Validation) -> str:
    provenance = validation.provenance
    latency = validation.latency
    facts = [
        f"{subject(validation)}",
        f"generation {provenance.generation}" if provenance.generation else "",
        f"{counted(provenance.documents, 'page')}, {counted(provenance.chunks, 'chunk')}"
        if provenance.has_size
        else "",
        f"{provenance.embedder.provider}/{provenance.embedder.model}" if provenance.embedder else "",
        f"test set {provenance.test_set}" if provenance.test_set else "without a test set",
        f"p95 {milliseconds(latency.p95_ms)}" if latency and latency.samples else "",
        f"Assay {provenance.versions.get('assay', '')}".strip(),
        moment(validation.started_at),
    ]
    return f"<sub>{' · '.join(_words(fact, 80) for fact in facts if fact)}</sub>"
