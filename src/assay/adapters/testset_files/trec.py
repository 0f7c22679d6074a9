"""TREC files: topics (`<top>` blocks, or id, tab and text), judgments (qrels) and runs."""

import html
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assay.adapters.testset_files.exchange import (
    Draft,
    Fields,
    Grades,
    Imported,
    Labels,
    doc_id_of,
    extra_keys,
    grade,
    judgments_of,
    passage_of,
    sentences,
)
from assay.adapters.testset_files.text_file import TextFile
from assay.model.located import MOST_PROBLEMS, Place, Problem, refuse

TREC_CRITERIA = ("description", "narrative")
"""Keys of expected_criteria that a TREC topic has."""

_CRITERIA = (("desc", "Description", "description"), ("narr", "Narrative", "narrative"))
_OPENING = re.compile(r"<(top|topic)\b", re.IGNORECASE)
_CLOSING = {name: re.compile(f"</{name}>", re.IGNORECASE) for name in ("top", "topic")}
_FIELD = re.compile(
    r"^[ \t]*<(num|number|title|query|desc|description|question|narr|narrative)>", re.MULTILINE | re.IGNORECASE
)
_END = re.compile(r"</(?=top)", re.IGNORECASE)
_NUMBER = re.compile(r"number\s*=\s*[\"']([^\"']*)[\"']", re.IGNORECASE)
_LABEL = re.compile(r"^\s*(?:Number|Topic|Description|Narrative)\s*:", re.IGNORECASE)
_NAMES = {"number": "num", "query": "title", "description": "desc", "question": "desc", "narrative": "narr"}
_QREL_COLUMNS = 4
_RUN_COLUMNS = 6


class Retrieved(NamedTuple):
    """A document of a run with its score."""

    doc_id: str
    score: float


def read_trec(topics: TextFile, qrels: Sequence[TextFile], grades: Grades) -> Imported:
    """Read topics and judgments.

    A document id that is a URL means a page (with a fragment, a section); any other is a chunk id. A topic's
    description and narrative become expected_criteria.

    Raises InputError with the lines for invalid topics, qrels without four columns, and judgments of unknown topics.
    """
    draft = Draft(topics.name)
    for topic, place in read_topics(topics):
        draft.add_topic(topic, place)
    for file in qrels:
        _add_judgments(draft, file, grades)
    return draft.to_imported()


def read_topics(file: TextFile) -> Iterator[tuple[dict[str, object], Place]]:
    """Each topic with its line."""
    blocks = [*_blocks(file.text)]
    if blocks:
        yield from _topics(file, blocks)
        return
    for number, line in _lines(file.text):
        id_, tab, text = line.partition("\t")
        place = Place(file.name, number)
        if not tab:
            words = "a topic is an id, a tab and a text, or a <top> block"
            raise refuse(file.name, [Problem(place, "", words)])
        yield {"id": id_.strip(), "text": text.strip()}, place


def read_run(file: TextFile) -> dict[str, list[Retrieved]]:
    """Read the documents and scores of each topic of a run, in the order of the file.

    The columns are topic, `Q0`, document, rank, score and run name. Like trec_eval it ignores rank: a run is ordered
    by score, then id.

    Raises InputError with the lines for another number of columns, a score that is not finite, and a repeated document.
    """
    run: dict[str, list[Retrieved]] = {}
    seen: dict[tuple[str, str], int] = {}
    problems: list[Problem] = []
    for number, line in _lines(file.text):
        columns = line.split()
        place = Place(file.name, number)
        if len(columns) != _RUN_COLUMNS:
            words = f"a line of a run has six columns (topic, Q0, document, rank, score, name), not {len(columns)}"
            problems.append(Problem(place, "", words))
            continue
        topic, _, doc_id, _, score, _ = columns
        value = _finite(score)
        if value is None:
            problems.append(Problem(place, f"topic {topic}", f"the score has to be a finite number, not {score}"))
        elif (topic, doc_id) in seen:
            words = f"document {doc_id} repeats the one on line {seen[topic, doc_id]}"
            problems.append(Problem(place, f"topic {topic}", words))
        else:
            seen[topic, doc_id] = number
            run.setdefault(topic, []).append(Retrieved(doc_id, value))
    if problems:
        raise refuse(file.name, problems)
    return run


def write_topics(topics: Sequence[Fields]) -> str:
    """Format topics as `<top>` blocks."""
    blocks = []
    for topic in topics:
        lines = ["<top>", f"<num> Number: {topic['id']}", f"<title> {_escape_tags(str(topic['text']), 'title')}"]
        for tag, label, key in _CRITERIA:
            if isinstance(value := _criteria(topic).get(key), str):
                lines.append(f"<{tag}> {label}: {_escape_tags(value, tag)}")
        blocks.append("\n".join([*lines, "</top>"]))
    return "\n\n".join(blocks) + "\n"


def write_qrels(topics: Sequence[Fields], resolved: Labels | None) -> str:
    """Format judgments, one per line. resolved: labels by chunk id, by topic, that replace the judgments."""
    lines = []
    for topic in topics:
        if resolved is not None:
            labels = resolved.get(str(topic["id"]), {})
        else:
            named = ((doc_id_of(judgment), judgment["label"]) for judgment in judgments_of(topic))
            labels = {doc_id: label for doc_id, label in named if doc_id is not None}
        lines += [f"{topic['id']} 0 {doc_id} {label}" for doc_id, label in labels.items()]
    return "".join(f"{line}\n" for line in lines)


def trec_losses(topics: Sequence[Fields], *, resolved: bool) -> tuple[str, ...]:
    """Parts of a test set that these files cannot express."""
    of_topics: Counter[str] = Counter()
    judgments = 0
    for topic in topics:
        of_topics.update(extra_keys(topic, TREC_CRITERIA))
        criteria = _criteria(topic)
        texts = [str(topic["text"]), *(value for key in TREC_CRITERIA if isinstance(value := criteria.get(key), str))]
        of_topics["line breaks, runs of blanks and closing tags"] += any(
            text != _without_end_tag(text) for text in texts
        )
        of_topics["criteria that are not text"] += any(
            key in criteria and not isinstance(criteria[key], str) for key in TREC_CRITERIA
        )
        judgments += sum(doc_id_of(judgment) is None for judgment in judgments_of(topic)) if not resolved else 0
    lost = sentences(of_topics, "topic")
    if judgments:
        lost += sentences(Counter({"passages other than a page, a section or a chunk id": judgments}), "judgment")
    return lost


@dataclass(frozen=True, slots=True)
class _Block:
    """A `<top>` or `<topic>` element. start: in characters. attributes, body: as written."""

    start: int
    name: str
    attributes: str
    body: str


def _blocks(text: str) -> Iterator[_Block]:
    """Every closed element; what was looked for once is not looked for again, so the time is linear."""
    after, tag_end = 0, 0
    closings = dict.fromkeys(_CLOSING, (0, 0))
    for opening in _OPENING.finditer(text):
        if opening.start() < after:
            continue
        tag_end = max(tag_end, opening.end())
        tag_end = text.find(">", tag_end)
        if tag_end < 0:
            return
        name = opening[1].lower()
        if closings[name][0] <= tag_end:
            closing = _CLOSING[name].search(text, tag_end + 1)
            closings[name] = closing.span() if closing else (len(text), len(text))
        start, end = closings[name]
        if start < len(text):
            yield _Block(opening.start(), name, text[opening.end() : tag_end], text[tag_end + 1 : start])
            after = end


def _topics(file: TextFile, blocks: Iterable[_Block]) -> Iterator[tuple[dict[str, object], Place]]:
    line, seen = 1, 0
    for block in blocks:
        line += file.text.count("\n", seen, block.start)
        seen = block.start
        is_xml = block.name == "topic"
        fields = _fields(block.body, is_xml=is_xml)
        number = _NUMBER.search(block.attributes)
        topic: dict[str, object] = {"id": fields.get("num", "") or (html.unescape(number[1]) if number else "")}
        topic["text"] = fields.get("title") or fields.get("desc", "")
        criteria = {"description": fields.get("desc") if fields.get("title") else None, "narrative": fields.get("narr")}
        kept = {key: value for key, value in criteria.items() if value}
        if kept:
            topic["expected_criteria"] = kept
        yield topic, Place(file.name, line)


def _fields(body: str, *, is_xml: bool) -> dict[str, str]:
    found: dict[str, str] = {}
    marks = [*_FIELD.finditer(body)]
    ends = [*(mark.start() for mark in marks[1:]), len(body)]
    for mark, end in zip(marks, ends, strict=False):  # a block without fields has only an end
        tag = mark[1].lower()
        text = body[mark.end() : end].strip()
        if text.lower().endswith(f"</{tag}>"):
            text = text[: -len(tag) - 3]
        text = _one_line(_LABEL.sub("", text) if not is_xml else html.unescape(text))
        found.setdefault(_NAMES.get(tag, tag), text)
    return found


def _add_judgments(draft: Draft, file: TextFile, grades: Grades) -> None:
    problems = []
    for number, line in _lines(file.text):
        columns = line.split()
        place = Place(file.name, number)
        if len(columns) != _QREL_COLUMNS:
            words = f"a line of qrels has four columns (topic, 0, document, grade), not {len(columns)}"
            problems.append(Problem(place, "", words))
        elif columns[0] not in draft.topics:
            problems.append(Problem(place, "", f"there is no topic {columns[0]} in {draft.name}"))
        else:
            label = grade(columns[3], grades)
            draft.add_judgment(columns[0], {**passage_of(columns[2], {}), "label": label}, place)
        if len(problems) > MOST_PROBLEMS * 50:
            break
    if problems:
        raise refuse(file.name, problems)


def _lines(text: str) -> Iterable[tuple[int, str]]:
    return ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def _criteria(topic: Fields) -> Fields:
    free = topic.get("expected_criteria")
    return free if isinstance(free, Mapping) else {}


def _escape_tags(text: str, tag: str) -> str:
    """Format a text as one line, and add a label or closing tag if it has one, because readers remove one."""
    line = _without_end_tag(text)
    if tag == "title" and _LABEL.match(line):
        line = f"Topic: {line}"
    return f"{line} </{tag}>" if line.lower().endswith(f"</{tag}>") else line


def _without_end_tag(text: str) -> str:
    """Format a text as one line without the closing tag of a topic."""
    return _END.sub("</ ", _one_line(text))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _finite(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
