"""What the formats of other tools have in common: documents named by an id, rows with a line, and what gets lost."""

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
"""The label that stands for each grade of other collections; those that are not named stay as they are."""

Fields = Mapping[str, object]
"""A topic or a judgment as a test-set file has it."""

Labels = Mapping[str, Mapping[str, int]]
"""The labels of chunks by their ids, by topic: what judgments were resolved to."""

Docs = Mapping[str, Fields]
"""What points at a passage, by the id of a document."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A test set of another tool, as the values of a test-set file.

    left_out: what the file has and a test set has not, each a sentence without its full stop.
    """

    located: Located
    left_out: tuple[str, ...] = ()


@dataclass(slots=True)
class Draft:
    """Topics and judgments on their way from another format, with the lines that they come from."""

    name: str
    topics: dict[str, dict[str, object]] = field(default_factory=dict)
    places: dict[Path, Place] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    _numbers: dict[str, int] = field(default_factory=dict)
    _again: list[tuple[dict[str, object], Place]] = field(default_factory=list)

    def add_topic(self, topic: dict[str, object], place: Place) -> None:
        """A topic; one whose id is there already is kept for the reader to refuse, with both lines."""
        id_ = str(topic.get("id", ""))
        if id_ in self.topics:
            self._again.append((topic, place))
            return
        self._numbers[id_] = len(self.topics)
        self.places["topics", len(self.topics)] = place
        self.topics[id_] = topic

    def add_judgment(self, topic_id: str, judgment: Mapping[str, object], place: Place) -> None:
        """A judgment of a topic that is there."""
        listed = self.topics[topic_id].setdefault("judgments", [])
        assert isinstance(listed, list)
        self.places["topics", self._numbers[topic_id], "judgments", len(listed)] = place
        listed.append(dict(judgment))

    def finished(self) -> Imported:
        """The values, with the way back to their lines."""
        topics = [*self.topics.values()]
        for topic, place in self._again:
            self.places["topics", len(topics)] = place
            topics.append(topic)
        left_out = tuple(f"{words}: {count:,}" for words, count in sorted(self.left_out.items()))
        located = Located({"topics": topics}, self.name, places_among(self.places, Place(self.name)))
        return Imported(located, left_out)


def grade(text: str, grades: Grades) -> object:
    """The label that a grade stands for; what is no whole number stays as it is, for the reader to refuse."""
    if _WHOLE_NUMBER.fullmatch(text.strip()):
        number = int(text)
        return grades.get(number, number)
    return text


def passage_of(doc_id: str, docs: Docs) -> dict[str, object]:
    """What a document's id points at: what is known of it, the page at that address, or the chunk of that id."""
    if doc_id in docs:
        return dict(docs[doc_id])
    if _ADDRESS.fullmatch(doc_id):
        return {"url": doc_id}
    return {"chunk_id": doc_id}


def doc_id_of(passage: Fields) -> str | None:
    """The id under which formats that know nothing but documents can name a passage; None where none says it whole.

    A page is its address, a section the address with its anchor, a chunk its own id.
    """
    keys = passage.keys() - {"label"}
    url, section, chunk_id = (str(passage.get(key, "")) for key in ("url", "section", "chunk_id"))
    if keys == {"url"}:
        return url
    if keys == {"url", "section"}:
        return f"{url}#{quote(section, safe='')}"
    is_one_word = chunk_id.isprintable() and not any(character.isspace() for character in chunk_id)
    return chunk_id if keys == {"chunk_id"} and is_one_word and not _ADDRESS.match(chunk_id) else None


def beyond_judgments(topic: Fields, criteria: Collection[str] = ()) -> list[str]:
    """Keys of a topic besides its id, text and judgments. criteria: what of expected_criteria is not lost."""
    said = [key for key in topic if key not in {"id", "text", "type", "judgments", "expected_criteria"}]
    if topic.get("type") not in {None, "specific"}:
        said.append("type")
    free = topic.get("expected_criteria")
    if isinstance(free, Mapping) and free.keys() - set(criteria):
        said.append("expected_criteria")
    return said


def sentences(left_out: Counter[str], whole: str) -> tuple[str, ...]:
    """What was left out of how many topics or judgments. whole: what they are parts of, as one."""
    return tuple(
        f"{words} of {count:,} {whole}{'' if count == 1 else 's'}" for words, count in sorted(left_out.items()) if count
    )


def judgments_of(topic: Fields) -> list[dict[str, Any]]:
    """The judgments of a topic."""
    listed = topic.get("judgments")
    return listed if isinstance(listed, list) else []
