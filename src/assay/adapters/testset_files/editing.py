"""Adds and changes judgments in a test-set file without reformatting the rest.

Edits are placed by the parser's marks. The edited text is parsed before it is written, and has to have the old content
plus the requested change.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from assay.adapters.testset_files.edits import (
    JUDGMENTS,
    Edit,
    EditedText,
    Fields,
    append_edits,
    apply_edits,
    change_edits,
)
from assay.adapters.testset_files.json_text import json_marks
from assay.adapters.testset_files.loading import form_of, parse
from assay.adapters.testset_files.positions import Node, items_at, node_at
from assay.adapters.testset_files.text_file import TextFile, read_text
from assay.adapters.testset_files.yaml_text import yaml_marks
from assay.errors import InputError
from assay.model.located import Located, refuse

Topic = dict[str, object]
EditsOf = Callable[[EditedText, Node], list[Edit]]
"""Makes the edits of a topic from its node."""


class TestSetEditor:
    """Edits a test-set file in place.

    text_keys, free_key: as in loading.load. Raises InputError for a file that cannot be read or parsed.
    """

    __test__ = False  # pytest would collect it by its name

    def __init__(self, path: Path, *, text_keys: frozenset[str], free_key: str) -> None:
        self._form = form_of(path)
        self._text_keys = text_keys
        self._free_key = free_key
        self._file = read_text(path)
        self._located = self._parse(self._file)
        if self._located.problems:
            raise refuse(self._file.name, self._located.problems)

    def append(self, topic_id: str, judgments: Sequence[Fields], *, inherited: Sequence[Fields] = ()) -> None:
        """Append judgments to a topic and write the file.

        inherited: judgments that a topic without own ones inherits; they are written first, because own judgments end
            the inheritance.

        Raises InputError for an unknown topic, for judgments in a syntax that cannot be edited, or if another program
        changed the file meanwhile; then the file is unchanged.
        """
        if not judgments:
            return
        place, topic = self._topic(topic_id)
        judgments = judgments if _judgments(topic) else [*inherited, *judgments]
        wanted: Fields = {**topic, JUDGMENTS: [*_judgments(topic), *map(dict, judgments)]}
        self._write({place: wanted}, {place: lambda page, node: append_edits(page, node, judgments)})

    def append_topics(self, topics: Sequence[Fields]) -> None:
        """Append topics and write the file. Raises InputError as append does; then the file is unchanged."""
        text, newline = self._file.text, self._file.newline
        if self._form == "jsonl":
            end = "" if text.endswith("\n") else newline
            text += end + "".join(json.dumps(topic, ensure_ascii=False) + newline for topic in topics)
        else:
            page = EditedText(text, newline, is_json=self._form == "json")
            root = node_at(json_marks(text) if page.is_json else yaml_marks(text), ())
            try:
                text = apply_edits(text, append_edits(page, root, topics, "topics"))
            except InputError as error:
                raise InputError(f"{self._file.name}: its topics cannot be edited: {error.message}.") from None
        edited = self._parse(replace(self._file, text=text))
        if edited.problems or _topics(edited.value) != [*_topics(self._located.value), *map(dict, topics)]:
            raise InputError(f"{self._file.name}: topics cannot be added to a file in this syntax.")
        self._file = self._file.write(text)
        self._located = edited

    def change(self, topic_id: str, changes: Mapping[int, Fields]) -> None:
        """Change judgments of a topic and write the file.

        changes: new values by the judgment's index in the topic, from 0; other keys are kept.

        Raises InputError as append does.
        """
        self.change_topics({topic_id: changes})

    def change_topics(self, changes: Mapping[str, Mapping[int, Fields]]) -> None:
        """Change judgments of many topics, as `change` does, and write the file once.

        Raises InputError as append does; then the file is unchanged.
        """
        places = self._places() if len(changes) > 1 else {}
        wanted: dict[int, Fields] = {}
        edits: dict[int, EditsOf] = {}
        for topic_id, of_topic in changes.items():
            place, topic = places[topic_id] if topic_id in places else self._topic(topic_id)
            listed, differing = self._changed(topic_id, topic, of_topic)
            if any(differing.values()):
                wanted[place] = {**topic, JUDGMENTS: listed}
                edits[place] = partial(_changes, changes=differing)
        if edits:
            self._write(wanted, edits)

    def _changed(
        self, topic_id: str, topic: Topic, changes: Mapping[int, Fields]
    ) -> tuple[list[object], dict[int, Fields]]:
        """A topic's judgments after the changes, and the changed fields by index."""
        listed = _judgments(topic)
        differing: dict[int, Fields] = {}
        for number, fields in changes.items():
            old = listed[number] if 0 <= number < len(listed) else None
            if not isinstance(old, dict):
                raise InputError(f"{self._file.name}: topic {topic_id} has no judgment {number + 1}.")
            differing[number] = {key: value for key, value in fields.items() if key not in old or old[key] != value}
            listed[number] = {**old, **fields}
        return listed, differing

    def _write(self, wanted: Mapping[int, Fields], edits: Mapping[int, EditsOf]) -> None:
        """Edit topics, check the result against the wanted content, and write it."""
        text = self._edited(edits)
        edited = self._parse(replace(self._file, text=text))
        expected = [wanted.get(place, topic) for place, topic in enumerate(_topics(self._located.value))]
        after = _topics(edited.value)
        if expected != after or edited.problems:
            pairs = enumerate(zip(expected, after, strict=False))
            place = next((place for place, (one, other) in pairs if one != other), min(wanted))
            raise self._refusal(place, "their syntax cannot be edited without changing the rest of the file")
        self._file = self._file.write(text)
        self._located = edited

    def _edited(self, edits: Mapping[int, EditsOf]) -> str:
        text, newline = self._file.text, self._file.newline
        if self._form == "jsonl":
            lines = text.split("\n")
            places = self._located.locate([("topics", place) for place in edits])
            for place, edits_of in edits.items():
                number = places["topics", place].line - 1
                page = EditedText(lines[number], newline, is_json=True)
                node = node_at(json_marks(page.text), ())
                lines[number] = apply_edits(page.text, self._edits_for(place, page, node, edits_of))
            return "\n".join(lines)
        page = EditedText(text, newline, is_json=self._form == "json")
        nodes = items_at(json_marks(text) if page.is_json else yaml_marks(text), "topics", edits.keys())
        listed = [edit for place, node in nodes.items() for edit in self._edits_for(place, page, node, edits[place])]
        return apply_edits(text, listed)

    def _edits_for(self, place: int, page: EditedText, node: Node, edits_of: EditsOf) -> list[Edit]:
        try:
            return edits_of(page, node)
        except InputError as error:
            raise self._refusal(place, error.message) from None

    def _refusal(self, place: int, reason: str) -> InputError:
        where = self._located.locate([("topics", place)])["topics", place]
        return InputError(f"{where}: the judgments of this topic cannot be edited: {reason}.")

    def _parse(self, file: TextFile) -> Located:
        return parse(file, self._form, text_keys=self._text_keys, free_key=self._free_key)

    def _places(self) -> dict[str, tuple[int, Topic]]:
        """Index and content of each topic, by id."""
        topics = enumerate(_topics(self._located.value))
        return {
            str(topic["id"]): (place, topic) for place, topic in topics if isinstance(topic, dict) and "id" in topic
        }

    def _topic(self, topic_id: str) -> tuple[int, Topic]:
        for place, topic in enumerate(_topics(self._located.value)):
            if isinstance(topic, dict) and topic.get("id") == topic_id:
                return place, topic
        raise InputError(f"{self._file.name} has no topic {topic_id}.")


def _changes(page: EditedText, topic: Node, changes: Mapping[int, Fields]) -> list[Edit]:
    listed = topic.at(JUDGMENTS)
    if listed is None or not listed.items or any(not listed.items[number].keys for number in changes):
        raise InputError("they are an alias of others; write them out")
    return [edit for number, fields in changes.items() for edit in change_edits(page, listed.items[number], fields)]


def _topics(body: object) -> list[object]:
    topics = body.get("topics") if isinstance(body, dict) else None
    return topics if isinstance(topics, list) else []


def _judgments(topic: Topic) -> list[object]:
    listed = topic.get(JUDGMENTS)
    return [*listed] if isinstance(listed, list) else []
