"""Tables of judgments (CSV with commas, semicolons or tabs): a row per judgment, which repeats its topic."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence

from assay.adapters.testset_files.exchange import Draft, Fields, Grades, Imported, grade, judgments_of
from assay.adapters.testset_files.text_file import TextFile
from assay.model.located import Place, Problem, Unparsed, refuse
from assay.model.spelling import did_you_mean

TOPIC_COLUMNS = (
    "id", "text", "type", "category", "top_k", "paraphrase_of", "expect", "derived", "filters", "expected_criteria",
)  # fmt: skip
PASSAGE_COLUMNS = ("url", "quote", "prefix", "suffix", "section", "position", "text_hash", "chunk_id", "content_hash")
COLUMNS = (*TOPIC_COLUMNS, *PASSAGE_COLUMNS, "label")

EXCLUDED = "exclude"
"""Label of an excluded passage."""

_ALIASES = {
    "topic": "id", "topic_id": "id", "query_id": "id", "query-id": "id", "qid": "id", "query": "text",
    "query_text": "text", "question": "text", "query_type": "type", "test_category": "category", "relevance": "label",
    "rel": "label", "score": "label", "grade": "label", "doc_id": "chunk_id", "docid": "chunk_id",
    "corpus-id": "chunk_id", "passage": "quote", "page": "url",
}  # fmt: skip
_JSON_COLUMNS = frozenset({"filters", "expected_criteria", "position"})
_MAX_CELL = 16 * 1024 * 1024


def read_csv(file: TextFile, grades: Grades) -> Imported:
    """Read a table whose first row names its columns.

    Empty cells are ignored. A topic may have several rows; its fields in later rows have to be empty or equal to those
    of the first. filters, expected_criteria and position are JSON.

    Raises InputError with the lines for unknown columns and contradicting rows.
    """
    draft = Draft(file.name)
    problems: list[Problem] = []
    for row, place in _rows(file):
        topic = _topic(row, place)
        id_ = str(topic.get("id", ""))
        if id_ not in draft.topics:
            draft.add_topic(topic, place)
        else:
            known = draft.topics[id_]
            differing = [key for key, value in topic.items() if known.get(key) != value]
            if differing:
                words = f"{', '.join(differing)} differ from the first row of this topic"
                problems.append(Problem(place, f"topic {id_}", words))
        passage = {key: _value(key, row[key], place) for key in PASSAGE_COLUMNS if row.get(key)}
        label = row.get("label", "").strip()
        if label == EXCLUDED:
            excluded = draft.topics[id_].setdefault("exclude", [])
            assert isinstance(excluded, list)
            excluded.append(passage)
        elif passage or label:
            draft.add_judgment(id_, {**passage, **({"label": grade(label, grades)} if label else {})}, place)
    if problems:
        raise refuse(file.name, problems)
    return draft.to_imported()


def write_csv(topics: Sequence[Fields]) -> str:
    """Write a table with every column, separated by commas. The export is lossless."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    for topic in topics:
        own = {key: _cell(key, topic[key]) for key in TOPIC_COLUMNS if key in topic}
        rows: list[Fields] = [*judgments_of(topic)]
        excluded = topic.get("exclude")
        rows += [{**one, "label": EXCLUDED} for one in excluded] if isinstance(excluded, list) else []
        for row in rows or [{}]:
            writer.writerow({**own, **{key: _cell(key, value) for key, value in row.items()}})
    return text.getvalue()


def _rows(file: TextFile) -> Iterator[tuple[Mapping[str, str], Place]]:
    csv.field_size_limit(_MAX_CELL)
    heading = file.text.partition("\n")[0]
    delimiter = max(",;\t", key=heading.count)
    reader = csv.reader(io.StringIO(file.text, newline=""), delimiter=delimiter, strict=True)
    columns: list[str] | None = None
    line = 1
    try:
        for cells in reader:
            place = Place(file.name, line)
            line = reader.line_num + 1
            if not any(cells):
                continue
            if columns is None:
                columns = _columns(cells, place)
            elif len(cells) > len(columns):
                raise Unparsed(
                    Problem(place, "", f"the row has {len(cells)} cells, and there are {len(columns)} columns")
                )
            else:
                yield dict(zip(columns, cells, strict=False)), place
    except csv.Error as error:
        raise Unparsed(Problem(Place(file.name, line), "", f"not a valid table ({error})")) from None
    if columns is None:
        raise Unparsed(
            Problem(Place(file.name), "", f"it is empty; its first row names the columns: {', '.join(COLUMNS)}")
        )


def _columns(cells: Sequence[str], place: Place) -> list[str]:
    names = [_ALIASES.get(cell.strip().lower(), cell.strip().lower()) for cell in cells]
    for name, cell in zip(names, cells, strict=True):
        if name not in COLUMNS:
            advice = did_you_mean(name, COLUMNS, f"it can be {', '.join(COLUMNS)}")
            raise Unparsed(Problem(place, "", f"there is no column `{cell}`; {advice}"))
        if names.count(name) > 1:
            raise Unparsed(Problem(place, "", f"the column `{name}` is there twice"))
    for name in ("id", "text"):
        if name not in names:
            raise Unparsed(Problem(place, "", f"the column `{name}` is missing; the first row names the columns"))
    return names


def _topic(row: Mapping[str, str], place: Place) -> dict[str, object]:
    """The topic's fields of a row."""
    fields = {key: _value(key, row[key], place) for key in TOPIC_COLUMNS if row.get(key)}
    return {"text": row.get("text", ""), **fields} if row.get("text") or row.get("type") == "edge" else fields


def _value(key: str, cell: str, place: Place) -> object:
    if key == "top_k":
        return int(cell) if cell.strip().isdecimal() and len(cell) < 10 else cell
    if key not in _JSON_COLUMNS:
        return cell
    try:
        value: object = json.loads(cell)
    except ValueError:
        raise Unparsed(Problem(place, key, f"has to be JSON, such as {_SAMPLES[key]}")) from None
    return value


_SAMPLES = {"filters": '{"versions": ["3.0"]}', "expected_criteria": '{"min_score": 0.3}', "position": "[120, 180]"}


def _cell(key: str, value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if key in _JSON_COLUMNS else value
