"""Reading and writing test-set files by suffix: YAML, JSON and JSON Lines."""

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from assay.adapters.testset_files.json_text import read_json, read_json_lines
from assay.adapters.testset_files.text_file import TextFile, read_text
from assay.adapters.testset_files.yaml_text import read_yaml
from assay.adapters.testset_files.yaml_writing import write_yaml
from assay.errors import InputError
from assay.model.located import Located, Place, Unparsed, places_among
from assay.model.located import Path as Way

SUFFIXES: Mapping[str, str] = {".yaml": "yaml", ".yml": "yaml", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl"}
"""Format of a test-set file by suffix."""


def form_of(path: Path) -> str:
    """Return yaml, json or jsonl. Raises InputError for another suffix."""
    form = SUFFIXES.get(path.suffix.lower())
    if form is None:
        raise InputError(
            f"{path} does not have a suffix of a test set: {', '.join(SUFFIXES)}.",
            hint="Rename it; or `assay testset import` reads TREC, BEIR, CSV and the JSON of other suites.",
        )
    return form


def load(path: Path, *, text_keys: Collection[str], free_key: str) -> Located:
    """Parse a test-set file.

    text_keys: keys whose values are text, in YAML also without quotes, except inside free_key.

    Raises InputError for a file that cannot be read or has another suffix.
    """
    form = form_of(path)
    return parse(read_text(path), form, text_keys=text_keys, free_key=free_key)


def parse(file: TextFile, form: str, *, text_keys: Collection[str], free_key: str) -> Located:
    """Parse a file that was read; a syntax error is a problem of the result."""
    try:
        return _parse(file, form, text_keys, free_key)
    except Unparsed as fault:
        return Located(None, file.name, places_among({}, Place(file.name)), (fault.problem,))


def _parse(file: TextFile, form: str, text_keys: Collection[str], free_key: str) -> Located:
    if form == "yaml":
        return read_yaml(file.text, file.name, text_keys=text_keys, free_key=free_key)
    if form == "json":
        if not file.text.strip():
            return Located(None, file.name, places_among({}, Place(file.name)))
        return read_json(file.text, file.name)
    return _lines(file)


def dump(body: Mapping[str, object], form: str, *, heading: str = "") -> str:
    """The text of a test set.

    body: name and topics, as plain values.
    heading: comment at the beginning of a YAML file; other formats have none.
    """
    if form == "yaml":
        return write_yaml(body, heading)
    if form == "json":
        return json.dumps(body, ensure_ascii=False, indent=2) + "\n"
    return "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in _objects(body))


def _objects(body: Mapping[str, object]) -> Iterator[object]:
    yield {key: value for key, value in body.items() if key != "topics"}
    topics = body.get("topics")
    yield from topics if isinstance(topics, list) else []


def _lines(file: TextFile) -> Located:
    """Parse one topic per line; the first line may have the name of the test set."""
    body: dict[str, object] = {}
    topics: list[object] = []
    places: dict[Way, Place] = {}
    for number, value in read_json_lines(file.text, file.name):
        if not topics and not body and "name" in value and not {"id", "text"} & value.keys():
            body.update(value)
            places.update({(key,): Place(file.name, number) for key in value})
            continue
        places["topics", len(topics)] = Place(file.name, number)
        topics.append(value)
    if topics or body:
        body["topics"] = topics
    return Located(body or None, file.name, places_among(places, Place(file.name)))
