"""The labels of each judge, in an append-only JSON Lines file.

The test set has one label for a passage. The journal has every judge's own, for the agreement of two judges, and the
change of the file, to undo a label after a restart.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assay.errors import ConfigurationError
from assay.model.evaluation import Passage, Quote, Span
from assay.model.labelling import Addition, LabelEntry

_BYTES = "latin-1"
"""Encodes the bytes of a file's change as text, one character each."""


class LabelJournal:
    """The entries by test set. Several processes may append at the same time.

    path: created with its folder at the first entry. Damaged lines are ignored.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def of(self, test_set: Path) -> list[LabelEntry]:
        """The entries of a test-set file in their order, without those that were undone. Raises ConfigurationError."""
        try:
            lines = self._path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._failed("read", error) from None
        file = str(test_set.resolve())
        found: dict[str, LabelEntry] = {}
        for line in lines:
            fields = _fields(line)
            if fields.get("file") != file:
                continue
            if "undone" in fields:
                found.pop(fields["undone"], None)
            elif (entry := _entry(fields, test_set)) is not None:
                found[entry.id] = entry
        return list(found.values())

    def add(self, test_set: Path, entry: LabelEntry) -> None:
        """Append an entry. Raises ConfigurationError."""
        self._append(test_set, _plain(entry))

    def undo(self, test_set: Path, entry: LabelEntry) -> None:
        """Record that an entry was undone. Raises ConfigurationError."""
        self._append(test_set, {"undone": entry.id, "at": datetime.now(UTC).isoformat()})

    def _append(self, test_set: Path, fields: Mapping[str, object]) -> None:
        line = json.dumps({"file": str(test_set.resolve()), **fields}).encode() + b"\n"
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:
                file.write(line)
        except OSError as error:
            raise self._failed("written", error) from None

    def _failed(self, operation: str, error: OSError) -> ConfigurationError:
        return ConfigurationError(
            f"The journal of labels, {self._path}, cannot be {operation}: {error.strerror}.",
            hint="Choose another folder with --data-dir or ASSAY_DATA_DIR.",
        )


def _plain(entry: LabelEntry) -> dict[str, object]:
    passage, addition = entry.passage, entry.addition
    return {
        "id": entry.id,
        "at": entry.at.isoformat(),
        "judge": entry.judge,
        "topic": entry.topic_id,
        "content_hash": entry.content_hash,
        "label": entry.label,
        "passage": None if passage is None else _plain_passage(passage),
        "addition": None
        if addition is None
        else {
            "at": addition.at,
            "removed": addition.removed.decode(_BYTES),
            "inserted": addition.inserted.decode(_BYTES),
            "after": addition.after,
        },
    }


def _plain_passage(passage: Passage) -> dict[str, object]:
    quote, position = passage.quote, passage.position
    return {
        "url": passage.url,
        "quote": None if quote is None else [quote.exact, quote.prefix, quote.suffix],
        "position": None if position is None else [position.start, position.end],
        "text_hash": passage.text_hash,
        "section": passage.section,
        "chunk_id": passage.chunk_id,
        "content_hash": passage.content_hash,
    }


def _fields(line: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(line)
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}


def _entry(fields: Mapping[str, Any], test_set: Path) -> LabelEntry | None:
    """Parse a line; None if it is damaged."""
    try:
        passage, addition = fields["passage"], fields["addition"]
        return LabelEntry(
            id=str(fields["id"]),
            at=datetime.fromisoformat(fields["at"]),
            judge=str(fields["judge"]),
            topic_id=str(fields["topic"]),
            content_hash=fields["content_hash"],
            passage=None if passage is None else _passage(passage),
            label=fields["label"],
            addition=None if addition is None else _addition(addition, test_set, str(fields["topic"])),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _passage(fields: Mapping[str, Any]) -> Passage:
    quote, position = fields["quote"], fields["position"]
    others = {name: fields[name] for name in ("url", "text_hash", "section", "chunk_id", "content_hash")}
    passage = Passage(**others)
    if quote is not None:
        passage = replace(passage, quote=Quote(*quote))
    return passage if position is None else replace(passage, position=Span(*position))


def _addition(fields: Mapping[str, Any], test_set: Path, topic_id: str) -> Addition:
    removed, inserted = (fields[name].encode(_BYTES) for name in ("removed", "inserted"))
    return Addition(test_set, topic_id, fields["at"], removed, inserted, fields["after"])
