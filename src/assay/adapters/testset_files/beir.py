"""BEIR folders: queries.jsonl, corpus.jsonl and qrels/SPLIT.tsv."""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from assay.adapters.testset_files.exchange import (
    Docs,
    Draft,
    Fields,
    Grades,
    Imported,
    Labels,
    doc_id_of,
    grade,
    judgments_of,
    passage_of,
)
from assay.adapters.testset_files.json_text import read_json_lines
from assay.adapters.testset_files.text_file import TextFile, read_text
from assay.errors import InputError
from assay.model.located import Place, Problem, refuse
from assay.path_checks import exists

_COLUMNS = 3
_METADATA_KEY = "assay"
"""Key of a query's metadata with all fields that BEIR lacks."""

PASSAGE_KEY = "passage"
"""Key of a document's metadata with its passage."""


def read_beir(folder: Path, split: str, grades: Grades) -> Imported:
    """Read the queries of a split with its judgments.

    A document with a URL (`url` or `metadata.url`) becomes a quote on that page; one whose id is a URL, that page; any
    other, the chunk with that id. Queries without a judgment in the split are left out.

    Raises InputError with the lines.
    """
    queries = read_text(folder / "queries.jsonl")
    qrels = _qrels_file(folder, split)
    draft = Draft(str(folder))
    rows = list(_rows(qrels))
    judged = {topic for topic, _, _, _ in rows}
    for number, query in read_json_lines(queries.text, queries.name):
        topic = _topic(query)
        if str(topic["id"]) in judged or _metadata(query, _METADATA_KEY):
            draft.add_topic(topic, Place(queries.name, number))
        else:
            draft.left_out[f"queries without a judgment in {qrels.path.name}"] += 1
    docs = _docs(folder / "corpus.jsonl", {doc_id for _, doc_id, _, _ in rows})
    problems = []
    for topic_id, doc_id, label, place in rows:
        if topic_id in draft.topics:
            draft.add_judgment(topic_id, {**passage_of(doc_id, docs), "label": grade(label, grades)}, place)
        else:
            problems.append(Problem(place, "", f"there is no query {topic_id} in queries.jsonl"))
    if problems:
        raise refuse(qrels.name, problems)
    return draft.to_imported()


def beir_files(
    topics: Sequence[Fields], resolved: Labels | None, corpus: Iterable[Fields] = ()
) -> Iterator[tuple[str, Iterable[str]]]:
    """The lines of each file, by its path in the folder. The export is lossless.

    resolved: labels by chunk id, by topic, that replace the judgments; None to export the judgments.
    corpus: the rows of corpus.jsonl for resolved labels; otherwise there is one for each judged passage.
    """
    rows = ["query-id\tcorpus-id\tscore\n"]
    documents: dict[str, Fields] = {}
    for topic in topics:
        if resolved is not None:
            labels = resolved.get(str(topic["id"]), {})
        else:
            judged = [(_document(judgment), judgment["label"]) for judgment in judgments_of(topic)]
            documents.update({str(document["_id"]): document for document, _ in judged})
            labels = {str(document["_id"]): label for document, label in judged}
        rows += [f"{topic['id']}\t{doc_id}\t{label}\n" for doc_id, label in labels.items()]
    yield "queries.jsonl", map(_json_line, map(_query, topics))
    yield "corpus.jsonl", map(_json_line, corpus if resolved is not None else documents.values())
    yield "qrels/test.tsv", rows


def _query(topic: Fields) -> Fields:
    rest = {key: value for key, value in topic.items() if key not in {"id", "text", "judgments"}}
    return {"_id": topic["id"], "text": topic["text"], "metadata": {_METADATA_KEY: rest}}


def _topic(query: Fields) -> dict[str, object]:
    topic: dict[str, object] = {"id": query.get("_id"), "text": query.get("text")}
    return {**topic, **_metadata(query, _METADATA_KEY)}


def _document(judgment: Fields) -> Fields:
    passage = {key: value for key, value in judgment.items() if key != "label"}
    written = json.dumps(passage, sort_keys=True, ensure_ascii=False)
    doc_id = doc_id_of(passage) or f"passage-{hashlib.sha256(written.encode('utf-8')).hexdigest()[:16]}"
    return {"_id": doc_id, "title": "", "text": passage.get("quote", ""), "metadata": {PASSAGE_KEY: passage}}


def _docs(path: Path, wanted: Collection[str]) -> Docs:
    """Passages of the wanted documents of a corpus; empty without a corpus."""
    if not exists(path):
        return {}
    docs: dict[str, Fields] = {}
    corpus = read_text(path)
    for _, row in read_json_lines(corpus.text, corpus.name):
        doc_id = str(row.get("_id"))
        if doc_id not in wanted:
            continue
        passage = _metadata(row, PASSAGE_KEY)
        url, text = row.get("url") or _metadata(row).get("url"), row.get("text")
        if passage:
            docs[doc_id] = passage
        elif isinstance(url, str) and isinstance(text, str) and text.strip():
            docs[doc_id] = {"url": url, "quote": text}
        elif isinstance(url, str):
            docs[doc_id] = {"url": url}
    return docs


def _metadata(row: Fields, key: str | None = None) -> Fields:
    found = row.get("metadata")
    inner = found.get(key) if isinstance(found, Mapping) and key is not None else found
    return inner if isinstance(inner, Mapping) else {}


def _rows(file: TextFile) -> Iterator[tuple[str, str, str, Place]]:
    """Query, document, grade and place of each row; the first row may be a header."""
    problems = []
    for number, line in enumerate(file.text.split("\n"), start=1):
        columns = line.rstrip("\r").split("\t")
        if not line.strip() or (number == 1 and columns[-1].strip() == "score"):
            continue
        if len(columns) != _COLUMNS:
            words = f"a row has three columns with tabs between them (query, document, score), not {len(columns)}"
            problems.append(Problem(Place(file.name, number), "", words))
        else:
            yield columns[0], columns[1], columns[2], Place(file.name, number)
    if problems:
        raise refuse(file.name, problems)


def _qrels_file(folder: Path, split: str) -> TextFile:
    path = folder / "qrels" / f"{split}.tsv"
    if not exists(path):
        there = sorted(found.stem for found in (folder / "qrels").glob("*.tsv"))
        hint = f"Use --split {' or '.join(there)}." if there else "A BEIR folder has qrels/test.tsv."
        raise InputError(f"There are no judgments at {path}.", hint=hint)
    return read_text(path)


def _json_line(row: Fields) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"
