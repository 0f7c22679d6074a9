"""Functions that read, write, edit and convert files of labelled queries.

They need no settings, catalog or index.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from assay.adapters.testset_files import beir, csv_table, suites, trec
from assay.adapters.testset_files.editing import TestSetEditor
from assay.adapters.testset_files.exchange import Imported
from assay.adapters.testset_files.loading import SUFFIXES, dump, form_of, load
from assay.adapters.testset_files.text_file import read_text, replace_file
from assay.adapters.testset_files.undo import file_lock, record_addition, undo_addition
from assay.errors import FileUnwritable, InputError
from assay.model.documents import Chunk
from assay.model.evaluation import Judgment, Passage, Quote, Span, TestSet, Topic
from assay.model.labelling import Addition
from assay.model.located import Located, Unparsed, refuse
from assay.path_checks import exists, is_folder
from assay.validation.testsets.keys import FREE_KEY, TEXT_KEYS
from assay.validation.testsets.plain import plain_judgment, plain_passage, plain_topic, to_plain
from assay.validation.testsets.reading import ReadTestSet, examine, read_test_set

__all__ = [
    "SUFFIXES",
    "FileStamp",
    "Format",
    "ResolvedExport",
    "add_judgment",
    "append_topics",
    "change_many",
    "examine_test_set",
    "export_test_set",
    "file_stamp",
    "import_test_set",
    "load_test_set",
    "name_of",
    "own_judgments",
    "read_run_file",
    "remove_judgment",
    "save_test_set",
    "text_of",
]


def load_test_set(path: Path) -> TestSet:
    """Load the test set in a file. Raises InputError with the lines, the keys and suggestions."""
    return read_test_set(_located(path), name_of(path))


def examine_test_set(path: Path) -> ReadTestSet:
    """Read a test-set file with all its errors and warnings. Raises InputError if it cannot be read."""
    return examine(_located(path), name_of(path))


def read_run_file(path: Path) -> Mapping[str, Sequence[trec.Retrieved]]:
    """Read a TREC run: the hits of each topic, by topic id. Raises InputError with the lines."""
    return trec.read_run(read_text(path))


def name_of(path: Path) -> str:
    """Return the default name of a test set: `handbook` for handbook.testset.yaml."""
    return path.name.removesuffix(path.suffix).removesuffix(".testset")


def text_of(test_set: TestSet, form: str, *, heading: str = "") -> str:
    """Format a test set as yaml, json or jsonl. heading: a comment at the beginning of YAML."""
    return dump(to_plain(test_set), form, heading=heading)


def save_test_set(path: Path, test_set: TestSet, *, heading: str = "", overwrite: bool = False) -> None:
    """Write a test set atomically, in the format of the file's suffix.

    heading: a comment at the beginning of a YAML file.

    Raises InputError for an unknown suffix, an existing file unless overwrite, or a file that cannot be written.
    """
    form = form_of(path)
    if exists(path) and not overwrite:
        raise InputError(f"{path} already exists.", hint="Name another file, or use --force to replace it.")
    replace_file(path, text_of(test_set, form, heading=heading).encode("utf-8"))


def append_topics(path: Path, topics: Sequence[Topic]) -> None:
    """Add topics to a test-set file without changing any other byte. Their ids have to be new.

    Raises InputError for an invalid test set or a file that cannot be edited; it stays unchanged.
    """
    with file_lock(path):
        load_test_set(path)
        _editor(path).append_topics([plain_topic(topic) for topic in topics])


FileStamp = tuple[int, int, int]
"""Modification time, size and inode of a file."""


def file_stamp(path: Path) -> FileStamp | None:
    """The stamp of a file, to detect changes; None if it cannot be read."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def change_many(path: Path, changes: Mapping[str, Mapping[int, Judgment]]) -> None:
    """Replace judgments of topics of a test-set file with one write, without changing any other byte.

    changes: by topic id, the new judgment by its index in the topic's list, from 0. Keys missing from it stay.

    Raises InputError as append_topics does.
    """
    load_test_set(path)
    _editor(path).change_topics(
        {topic: {number: plain_judgment(one) for number, one in of.items()} for topic, of in changes.items()}
    )


def own_judgments(path: Path) -> frozenset[str]:
    """Return the ids of topics with judgments of their own; a paraphrase may inherit those of its original."""
    body = _located(path).value
    topics = body.get("topics") if isinstance(body, dict) else None
    named = [topic for topic in topics or () if isinstance(topic, dict) and topic.get("judgments")]
    return frozenset(str(topic.get("id")) for topic in named)


def add_judgment(path: Path, topic_id: str, judgment: Judgment) -> Addition | Judgment:
    """Add one judgment to a topic of a test-set file, so that it can be undone.

    Changes no other byte. Uses a file lock, so that concurrent sessions wait for each other. If the topic already has
    a judgment of this passage, writes nothing and returns that judgment.

    Raises InputError for an invalid test set, an unknown topic or a file that cannot be edited; it stays unchanged.
    """
    with file_lock(path):
        inherited = next((topic.judgments for topic in load_test_set(path).topics if topic.id == topic_id), ())
        for known in inherited:
            if _is_same(known.passage, judgment.passage):
                return known
        added, before = plain_judgment(judgment), [plain_judgment(one) for one in inherited]
        return record_addition(path, topic_id, lambda: _editor(path).append(topic_id, [added], inherited=before))


def _is_same(known: Passage, other: Passage) -> bool:
    """Whether two passages are the same, perhaps of two states of the page: then positions say nothing."""
    if known == other:
        return True
    is_quoted = known.quote is not None and (known.url, known.quote) == (other.url, other.quote)
    return is_quoted and known.text_hash != other.text_hash


def remove_judgment(addition: Addition) -> None:
    """Remove an added judgment from its file without changing any other byte.

    Raises InputError, without a change, if later edits of the file make the place uncertain.
    """
    with file_lock(addition.path):
        undo_addition(addition, text_keys=TEXT_KEYS, free_key=FREE_KEY)


class Format(StrEnum):
    """Formats of labelled queries that other tools read and write."""

    TREC = "trec"
    BEIR = "beir"
    CSV = "csv"
    SUITE = "suite"


@dataclass(frozen=True, slots=True)
class ResolvedExport:
    """Labels of one generation's chunks, exported instead of the judgments.

    labels: by topic id, then by chunk id.
    chunks: the contents of corpus.jsonl: all chunks, so that another system can be measured with them.
    text_hashes: SHA-256 of the text of each page, by URL.
    """

    labels: Mapping[str, Mapping[str, int]]
    chunks: Iterable[Chunk] = ()
    text_hashes: Mapping[str, str] = field(default_factory=dict)


def import_test_set(
    paths: Sequence[Path],
    format_: Format | None = None,
    *,
    name: str | None = None,
    split: str = "test",
    grades: Mapping[int, int] | None = None,
) -> tuple[TestSet, tuple[str, ...]]:
    """Convert the files of another tool to a test set. Also returns a sentence for each part that was left out.

    paths: topics and qrels for TREC, a folder for BEIR, a table, or the JSON of a suite.
    format_: None to detect it from the paths.
    split: of BEIR's judgments.
    grades: the label for each grade of another scale; unlisted grades stay.

    Raises InputError with the lines.
    """
    found = format_ or _format_of(paths)
    try:
        imported = _imported(list(paths), found, split, grades or {})
    except Unparsed as fault:
        raise refuse(fault.problem.place.file, [fault.problem]) from None
    reading = examine(imported.located, name or name_of(paths[0]))
    if reading.test_set is None:
        error = refuse(imported.located.name, reading.errors, reading.error_count)
        other_scale = any(problem.where.endswith("label") for problem in reading.errors)
        hint = "Map the grades of another scale to labels: --map-label 3=2." if other_scale else ""
        raise InputError(error.message, hint=hint)
    return reading.test_set, imported.left_out


def export_test_set(
    test_set: TestSet, path: Path, format_: Format, resolved: ResolvedExport | None = None
) -> tuple[str, ...]:
    """Export a test set for another tool. Return a sentence for each part that the format cannot hold.

    path: a new or empty folder for TREC (topics.trec, qrels.txt) and BEIR; a new file for CSV.

    Raises InputError if the path exists already or cannot be written.
    """
    topics = [plain_topic(topic) for topic in test_set.topics]
    labels = resolved.labels if resolved is not None else None
    if format_ is Format.TREC:
        files: Iterable[tuple[str, Iterable[str]]] = (
            ("topics.trec", [trec.write_topics(topics)]),
            ("qrels.txt", [trec.write_qrels(topics, labels)]),
        )
        _write_folder(path, files)
        return trec.trec_losses(topics, resolved=resolved is not None)
    if format_ is Format.BEIR:
        corpus = (_corpus_row(chunk, resolved.text_hashes) for chunk in resolved.chunks) if resolved else ()
        _write_folder(path, beir.beir_files(topics, labels, corpus))
        return ()
    if format_ is Format.SUITE:
        raise InputError("The format `suite` can only be imported.", hint="Export trec, beir or csv.")
    if resolved is not None:
        raise InputError(
            "A CSV table cannot hold the labels of a generation.", hint="Omit --generation, or export trec or beir."
        )
    if exists(path):
        raise InputError(f"{path} already exists.", hint="Name another file.")
    replace_file(path, csv_table.write_csv(topics).encode("utf-8"))
    return ()


def _format_of(paths: Sequence[Path]) -> Format:
    first = paths[0]
    if is_folder(first):
        return Format.BEIR
    suffix = first.suffix.lower()
    if len(paths) == 1 and suffix in {".csv", ".tsv"}:
        return Format.CSV
    return Format.SUITE if suffix == ".json" else Format.TREC


def _imported(paths: list[Path], format_: Format, split: str, grades: Mapping[int, int]) -> Imported:
    if format_ is Format.TREC:
        return trec.read_trec(read_text(paths[0]), [read_text(path) for path in paths[1:]], grades)
    if len(paths) > 1:
        raise InputError(f"The format {format_.value} takes one path, not {len(paths)}.")
    if format_ is Format.BEIR:
        return beir.read_beir(paths[0], split, grades)
    read = csv_table.read_csv if format_ is Format.CSV else suites.read_suite
    return read(read_text(paths[0]), grades)


def _write_folder(folder: Path, files: Iterable[tuple[str, Iterable[str]]]) -> None:
    if exists(folder) and (not is_folder(folder) or any(folder.iterdir())):
        raise InputError(f"{folder} already exists and is not an empty folder.", hint="Name another one.")
    for name, lines in files:
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("w", encoding="utf-8", newline="") as file:
                file.writelines(lines)
        except OSError as error:
            raise FileUnwritable(f"{path} cannot be written: {error.strerror}.") from None


def _corpus_row(chunk: Chunk, text_hashes: Mapping[str, str]) -> dict[str, object]:
    """A chunk as a document of BEIR, with its passage, so that an import finds it again.

    Its text alone would not do: it may repeat a table's header, or occur twice on the page.
    """
    row: dict[str, object] = {"_id": chunk.id, "title": chunk.trail, "text": chunk.text, "url": chunk.section_url}
    url = chunk.document.url
    if url not in text_hashes:
        return row
    own = chunk.text.removeprefix(chunk.repeated_before).removesuffix(chunk.repeated_after)
    passage = Passage(url, Quote(own), Span(chunk.start, chunk.end), text_hashes[url])
    return row | {"metadata": {beir.PASSAGE_KEY: plain_passage(passage)}}


def _located(path: Path) -> Located:
    return load(path, text_keys=TEXT_KEYS, free_key=FREE_KEY)


def _editor(path: Path) -> TestSetEditor:
    return TestSetEditor(path, text_keys=TEXT_KEYS, free_key=FREE_KEY)
