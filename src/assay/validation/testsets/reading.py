"""Read a test set from the values of its file, or list all problems, each with its line and a suggestion."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.model.evaluation import Category, TestSet, Topic, TopicType
from assay.model.located import MOST_PROBLEMS, Located, Path, Problem, refuse
from assay.model.ranking import Filters
from assay.validation.testsets.fields import FieldChecks, Note
from assay.validation.testsets.keys import (
    FILTER_KEYS,
    FREE_KEY,
    TOP_KEYS,
    TOPIC_KEYS,
    meant,
    missing_is_misspelt,
    shown,
)
from assay.validation.testsets.passages import read_judgments, read_passages
from assay.validation.testsets.plain import DEFAULT_TOP_K, make_test_set
from assay.validation.testsets.warnings import warnings_of

MOST_TOP_K = 100
"""Seed 001's limit of top_k."""

_EXPECTATIONS = {"no_answer": False, "answer": True}
_ORIGINS = ("link", "heading")
_OTHER_SHAPES = {
    "validation_tests": "seed 004's tests",
    "test_cases": "a report of seed 001",
    "expected_results": "seed 004's tests",
    "relevance_labels": "seed 001's test cases",
}


@dataclass(frozen=True, slots=True)
class ReadTestSet:
    """The result of reading a file.

    test_set: None if there are errors.
    errors, warnings: the first MOST_PROBLEMS of each, in the order of the file.
    error_count, warning_count: how many there are.
    """

    test_set: TestSet | None
    errors: tuple[Problem, ...]
    error_count: int
    warnings: tuple[Problem, ...] = ()
    warning_count: int = 0


def examine(source: Located, name: str) -> ReadTestSet:
    """Read a test set and collect its errors and warnings.

    name: of the test set if the file has none.
    """
    reading = _read(source, name)
    if reading.test_set is None:
        return reading
    warned = [Note(("topics", *path), message) for path, message in warnings_of(reading.test_set)]
    return replace(reading, warnings=_located(source, warned), warning_count=len(warned))


def read_test_set(source: Located, name: str) -> TestSet:
    """Read a test set. name: of the test set if the file has none.

    Raises InputError with the first MOST_PROBLEMS errors: the line, the key and a suggestion for each.
    """
    reading = _read(source, name)
    if reading.test_set is None:
        raise refuse(source.name, reading.errors, reading.error_count)
    return reading.test_set


def _read(source: Located, name: str) -> ReadTestSet:
    reader = _Reader()
    unparsed = source.value is None and bool(source.problems)
    test_set = None if unparsed else reader.read(source.value, name)
    count = len(reader.notes) + len(source.problems)
    errors = (*source.problems, *_located(source, reader.notes))[:MOST_PROBLEMS]
    return ReadTestSet(None if count else test_set, errors, count)


class _Reader(FieldChecks):
    """Reads one file, and collects all problems."""

    def read(self, value: object, name: str) -> TestSet | None:
        """The test set; None if there are errors."""
        if not isinstance(value, dict) or ("topics" not in value and _other_shape(value)):
            self._refuse_shape(value)
            return None
        self.known_keys((), value, TOP_KEYS)
        given = self.text(("name",), value["name"]) if "name" in value else None
        derived = value.get("derived")
        if derived is not None and not isinstance(derived, bool):
            self.fault(("derived",), f"has to be true or false, not {shown(derived)}")
        listed = value.get("topics")
        if listed is not None and not isinstance(listed, list):
            self.fault(("topics",), f"has to be a list of topics, not {shown(listed)}")
        elif not listed:
            self.fault(("topics",), "there are no topics; add at least one, with an `id` and a `text`")
        else:
            topics = [self._topic(("topics", number), one) for number, one in enumerate(listed)]
            self._compare_ids([(number, topic) for number, topic in enumerate(topics) if topic is not None])
            if not self.notes:
                kept = _with_inherited([topic for topic in topics if topic is not None])
                return make_test_set(given or name, kept, derived=derived)
        return None

    def _refuse_shape(self, value: object) -> None:
        if value is None:
            self.fault((), "it is empty; a test set has `topics`, each with an `id` and a `text`")
        elif found := _other_shape(value):
            self.fault((), f"it looks like {found}; `assay testset import` reads that")
        else:
            self.fault((), f"a test set is keys and values (`name`, `topics`), not {shown(value)}")

    def _topic(self, path: Path, value: object) -> Topic | None:
        if not isinstance(value, dict):
            self.fault(path, f"a topic is keys and values (`id`, `text`, …), not {shown(value)}")
            return None
        self.known_keys(path, value, TOPIC_KEYS)
        before = len(self.notes)
        type_ = self.choice((*path, "type"), value["type"], TopicType) if "type" in value else TopicType.SPECIFIC
        topic = Topic(
            id=self._id((*path, "id"), value),
            text=self._text((*path, "text"), value, type_),
            type=type_ or TopicType.SPECIFIC,
            category=self.choice((*path, "category"), value["category"], Category) if "category" in value else None,
            top_k=self._top_k((*path, "top_k"), value.get("top_k", DEFAULT_TOP_K)),
            judgments=read_judgments(self, path, value["judgments"]) if "judgments" in value else (),
            excluded=read_passages(self, path, value["exclude"]) if "exclude" in value else (),
            paraphrase_of=self.text((*path, "paraphrase_of"), value["paraphrase_of"])
            if "paraphrase_of" in value
            else None,
            expects_answer=self._expectation((*path, "expect"), value["expect"]) if "expect" in value else True,
            expected_criteria=self._criteria((*path, FREE_KEY), value[FREE_KEY]) if FREE_KEY in value else {},
            filters=self._filters((*path, "filters"), value["filters"]) if "filters" in value else Filters(),
            derived=self.word((*path, "derived"), value["derived"], _ORIGINS) if "derived" in value else None,
        )
        if len(self.notes) == before and not topic.expects_answer:
            self._expects_nothing(path, topic)
        return topic

    def _id(self, path: Path, fields: Mapping[str, object]) -> str:
        if "id" not in fields:
            if not missing_is_misspelt(fields, "id", TOPIC_KEYS):
                self.fault(path, "`id` is missing; every topic needs a unique one")
            return ""
        value = self.text(path, fields["id"]) or ""
        if value and (any(character.isspace() for character in value) or not value.isprintable()):
            self.fault(path, f"cannot have blanks or control characters, because TREC files cannot: {shown(value)}")
        return value

    def _text(self, path: Path, fields: Mapping[str, object], type_: TopicType | None) -> str:
        if "text" not in fields:
            if not missing_is_misspelt(fields, "text", TOPIC_KEYS):
                self.fault(path, "`text` is missing: the query")
            return ""
        value = fields["text"]
        if value == "" and type_ is TopicType.EDGE:
            return ""
        if value is None or (isinstance(value, str) and not value.strip()):
            if type_ is not TopicType.EDGE or not isinstance(value, str):
                self.fault(path, 'is empty; only the text of a topic of type edge may be (text: "")')
                return ""
            return value
        return self.text(path, value) or ""

    def _top_k(self, path: Path, value: object) -> int:
        if type(value) is not int or not 1 <= value <= MOST_TOP_K:
            self.fault(path, f"has to be a whole number from 1 to {MOST_TOP_K}, not {shown(value)}")
            return DEFAULT_TOP_K
        return value

    def _expectation(self, path: Path, value: object) -> bool:
        return _EXPECTATIONS.get(self.word(path, value, tuple(_EXPECTATIONS)) or "", True)

    def _expects_nothing(self, path: Path, topic: Topic) -> None:
        for number, judgment in enumerate(topic.judgments):
            if judgment.label > 0:
                place = (*path, "judgments", number, "label")
                self.fault(place, f"is {judgment.label}, but the topic expects no answer (`expect: no_answer`)")
                return

    def _criteria(self, path: Path, value: object) -> dict[str, object]:
        if not isinstance(value, dict):
            self.fault(path, f"has to be keys and values, not {shown(value)}")
            return {}
        self.plain_values(path, value)
        least = value.get("min_score")
        if least is not None and (type(least) not in {int, float} or not 0 <= least <= 1):
            self.fault((*path, "min_score"), f"has to be a number from 0 to 1, not {shown(least)}")
        return value

    def _filters(self, path: Path, value: object) -> Filters:
        if not isinstance(value, dict):
            self.fault(path, f"has to be keys and values ({', '.join(FILTER_KEYS)}), not {shown(value)}")
            return Filters()
        self.known_keys(path, value, FILTER_KEYS)
        others = {"url_prefix": self.url, "everything": self._flag, "include_unversioned": self._flag}
        read: dict[str, Any] = {
            key: others.get(key, self.texts)((*path, key), value[key]) for key in FILTER_KEYS if key in value
        }
        return Filters(**read)

    def _flag(self, path: Path, value: object) -> bool:
        if not isinstance(value, bool):
            self.fault(path, f"has to be true or false, not {shown(value)}")
        return value is True

    def _compare_ids(self, topics: Sequence[tuple[int, Topic]]) -> None:
        first: dict[str, int] = {}
        for number, topic in topics:
            if not topic.id:
                continue
            if topic.id in first:
                other = ("topics", first[topic.id], "id")
                self.fault(
                    ("topics", number, "id"), f"{shown(topic.id)} is also the id of the topic on line {{line}}", other
                )
            first.setdefault(topic.id, number)
        originals = {topic.id: topic.paraphrase_of for _, topic in topics}
        for number, topic in topics:
            path = ("topics", number, "paraphrase_of")
            if topic.paraphrase_of is None:
                continue
            if topic.paraphrase_of not in originals:
                near = meant(topic.paraphrase_of, originals) if len(originals) <= _COMPARED else ""
                hint = f"; {near}" if near.startswith("did") else ""
                self.fault(path, f"there is no topic with the id {shown(topic.paraphrase_of)}{hint}")
            elif circle := _circle(topic.id, originals):
                self.fault(path, f"is circular: {' → '.join(circle)}")


_COMPARED = 5_000
"""Largest number of topics to search for a similar id, which is slow."""


def _circle(id_: str, originals: Mapping[str, str | None]) -> list[str]:
    """The cycle of originals from a topic back to it; empty without one."""
    way = [id_]
    while (following := originals.get(way[-1])) is not None:
        way.append(following)
        if following == id_:
            return way
        if following in way[:-1]:  # a cycle of other topics, which is reported for them
            return []
    return []


def _with_inherited(topics: Sequence[Topic]) -> Iterator[Topic]:
    """Yield the topics; a paraphrase without judgments of its own gets those of its original."""
    by_id = {topic.id: topic for topic in topics}
    for topic in topics:
        original = topic
        while not original.judgments and original.paraphrase_of is not None:
            original = by_id[original.paraphrase_of]
        yield replace(topic, judgments=original.judgments) if original is not topic and topic.expects_answer else topic


def _located(source: Located, notes: Sequence[Note]) -> tuple[Problem, ...]:
    told = sorted(notes[: MOST_PROBLEMS * 50], key=_order)[:MOST_PROBLEMS]
    places = source.locate([path for note in told for path in (note.path, note.other) if path is not None])
    problems = []
    for note in told:
        message = note.message
        if note.other is not None:
            other = places[note.other]
            here = str(other.line) if other.file == places[note.path].file else str(other)
            message = message.replace("{line}", here)
        problems.append(Problem(places[note.path], _words(note.path, source.value), message))
    return tuple(problems)


def _order(note: Note) -> tuple[int, int]:
    """By topic, then by judgment."""
    numbers = [step for step in note.path if isinstance(step, int)]
    return (numbers[0] if numbers else -1, numbers[1] if len(numbers) > 1 else -1)


def _words(path: Path, value: object) -> str:
    """Format a path for a message: `topic nodes-talk, judgment 3, label`."""
    parts = []
    here = value
    for place, step in enumerate(path):
        here = _inside(here, step)
        if isinstance(step, str):
            following = path[place + 1] if place + 1 < len(path) else None
            if not (isinstance(following, int) and step in {"topics", "judgments", "exclude"}):
                parts.append(step)
        elif place == 1 and path[0] == "topics":
            id_ = here.get("id") if isinstance(here, dict) else None
            parts.append(f"topic {id_ if isinstance(id_, str) and id_.isprintable() and id_ else step + 1}")
        else:
            kind = {"judgments": "judgment", "exclude": "excluded passage"}.get(str(path[place - 1]), "item")
            parts.append(f"{kind} {step + 1}")
    return ", ".join(parts)


def _inside(value: object, step: str | int) -> object:
    if isinstance(value, dict) and isinstance(step, str):
        return value.get(step)
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return None


def _other_shape(value: object) -> str | None:
    """The known format that a file looks like instead; None for no known one."""
    inner = value[0] if isinstance(value, list) and value else value
    if not isinstance(inner, dict):
        return None
    return next((words for key, words in _OTHER_SHAPES.items() if key in inner), None)
