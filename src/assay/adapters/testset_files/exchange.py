"""Shared parts of the formats of other tools: document ids, drafts with line numbers, losses."""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from assay.model.located import Located, Path, Place, places_among

_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")

Grades = Mapping[int, int]
"""Label by grade of another collection; other grades are unchanged."""

Fields = Mapping[str, object]
"""A topic or a judgment of a test-set file."""

Labels = Mapping[str, Mapping[str, int]]
"""Resolved labels by chunk id, by topic."""

Docs = Mapping[str, Fields]
"""Passage by document id."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A test set of another tool, as the values of a test-set file.

    left_out: parts of the file that a test set lacks, each a sentence without its full stop.
    """

    located: Located
    left_out: tuple[str, ...] = ()


@dataclass(slots=True)
class Draft:
    """Topics and judgments during an import, with their lines."""

    name: str
    topics: dict[str, dict[str, object]] = field(default_factory=dict)
    places: dict[Path, Place] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    _numbers: dict[str, int] = field(default_factory=dict)
    _duplicates: list[tuple[dict[str, object], Place]] = field(default_factory=list)

    def add_topic(self, topic: dict[str, object], place: Place) -> None:
        """Add a topic. A duplicate id is kept, so that the reader refuses it with both lines."""
        id_ = str(topic.get("id", ""))
        if id_ in self.topics:
            self._duplicates.append((topic, place))
            return
        self._numbers[id_] = len(self.topics)
        self.places["topics", len(self.topics)] = place
        self.topics[id_] = topic

    def add_judgment(self, topic_id: str, judgment: Mapping[str, object], place: Place) -> None:
        """Add a judgment to a topic, which has to exist."""
        listed = self.topics[topic_id].setdefault("judgments", [])
        assert isinstance(listed, list)
        self.places["topics", self._numbers[topic_id], "judgments", len(listed)] = place
        listed.append(dict(judgment))

    def to_imported(self) -> Imported:
        """The imported test set, with the lines of its values."""
        topics = [*self.topics.values()]
        for topic, place in self._duplicates:
            self.places["topics", len(topics)] = place
            topics.append(topic)
        left_out = tuple(f"{words}: {count:,}" for words, count in sorted(self.left_out.items()))
        located = Located({"topics": topics}, self.name, places_among(self.places, Place(self.name)))
        return Imported(located, left_out)


def grade(text: str, grades: Grades) -> object:
    """The label of a grade; a value that is not an integer is returned for the reader to refuse."""
    if _WHOLE_NUMBER.fullmatch(text.strip()):
        number = int(text)
        return grades.get(number, number)
    return text


def passage_of(doc_id: str, docs: Docs) -> dict[str, object]:
    """The passage of a document id: the known one, the page if it is a URL, else the chunk with that id."""
    if doc_id in docs:
        return dict(docs[doc_id])
    if _ADDRESS.fullmatch(doc_id):
        return {"url": doc_id}
    return {"chunk_id": doc_id}


def doc_id_of(passage: Fields) -> str | None:
    """A document id for a passage; None if an id cannot express it.

    A page is its URL, a section its URL with the anchor, a chunk its id.
    """
    keys = passage.keys() - {"label"}
    url, section, chunk_id = (str(passage.get(key, "")) for key in ("url", "section", "chunk_id"))
    if keys == {"url"}:
        return url
    if keys == {"url", "section"}:
        return f"{url}#{quote(section, safe='')}"
    is_one_word = chunk_id.isprintable() and not any(character.isspace() for character in chunk_id)
    return chunk_id if keys == {"chunk_id"} and is_one_word and not _ADDRESS.match(chunk_id) else None


def extra_keys(topic: Fields, criteria: Collection[str] = ()) -> list[str]:
    """Keys of a topic besides id, text and judgments. criteria: keys of expected_criteria that are not lost."""
    extra = [key for key in topic if key not in {"id", "text", "type", "judgments", "expected_criteria"}]
    if topic.get("type") not in {None, "specific"}:
        extra.append("type")
    free = topic.get("expected_criteria")
    if isinstance(free, Mapping) and free.keys() - set(criteria):
        extra.append("expected_criteria")
    return extra


def sentences(left_out: Counter[str], whole: str) -> tuple[str, ...]:
    """Describe losses with their counts. whole: `topic` or `judgment`."""
    return tuple(
        f"{words} of {count:,} {whole}{'' if count == 1 else 's'}" for words, count in sorted(left_out.items()) if count
    )


def judgments_of(topic: Fields) -> list[dict[str, Any]]:
    """The judgments of a topic."""
    listed = topic.get("judgments")
    return listed if isinstance(listed, list) else []
