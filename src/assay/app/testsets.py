"""Files of labelled queries, read, written and changed: the files' adapters brought together with what they mean.

Nothing here needs settings, a catalog or an index.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from assay.adapters.testset_files import beir, csv_table, suites, trec
from assay.adapters.testset_files.adding import Addition, added, alone, taken_back
from assay.adapters.testset_files.editing import TestSetEditor
from assay.adapters.testset_files.exchange import Imported
from assay.adapters.testset_files.loading import SUFFIXES, dump, form_of, load
from assay.adapters.testset_files.text_file import read_text, replace_file
from assay.errors import InputError
from assay.model.documents import Chunk
from assay.model.evaluation import Judgment, TestSet
from assay.model.located import Located, Unparsed, refuse
from assay.validation.testsets.keys import FREE_KEY, TEXT_KEYS
from assay.validation.testsets.plain import plain_judgment, plain_topic, to_plain
from assay.validation.testsets.reading import ReadTestSet, examine, read_test_set

__all__ = [
    "SUFFIXES",
    "Addition",
    "Format",
    "ResolvedExport",
    "add_judgment",
    "append_judgments",
    "change_judgments",
    "change_many",
    "examine_test_set",
    "export_test_set",
    "import_test_set",
    "load_test_set",
    "name_of",
    "own_judgments",
    "read_run_file",
    "save_test_set",
    "take_back",
    "text_of",
]


def load_test_set(path: Path) -> TestSet:
    """The test set in a file. Raises InputError that names the lines, the keys and what was meant."""
    return read_test_set(_located(path), name_of(path))


def examine_test_set(path: Path) -> ReadTestSet:
    """What a test-set file holds, with all that is wrong with it or odd. Raises InputError where it cannot be read."""
    return examine(_located(path), name_of(path))


def read_run_file(path: Path) -> Mapping[str, Sequence[trec.Retrieved]]:
    """Read a TREC run: the hits of each topic, by its id. Raises InputError that names the lines."""
    return trec.read_run(read_text(path))


def name_of(path: Path) -> str:
    """What a test set is called whose file does not say: `handbook` for handbook.testset.yaml."""
    return path.name.removesuffix(path.suffix).removesuffix(".testset")


def text_of(test_set: TestSet, form: str, *, heading: str = "") -> str:
    """A test set as yaml, json or jsonl. heading: a comment for the beginning of YAML."""
    return dump(to_plain(test_set), form, heading=heading)


def save_test_set(path: Path, test_set: TestSet, *, heading: str = "", overwrite: bool = False) -> None:
    """Write a test set in the form that the file's name asks for, whole or not at all.

    heading: a comment for the beginning of a YAML file.

    Raises InputError for another name, for a file that is there unless it may be overwritten, or if it cannot be made.
    """
    form = form_of(path)
    if path.exists() and not overwrite:
        raise InputError(f"{path} is there already.", hint="Name another file, or say --force to replace it.")
    replace_file(path, text_of(test_set, form, heading=heading).encode("utf-8"))


def append_judgments(path: Path, topic_id: str, judgments: Sequence[Judgment]) -> None:
    """Add judgments to a topic of a test-set file, and leave every other byte of the file as it is.

    Raises InputError for a file that is no test set, has no such topic or cannot be added to; then it stays as it was.
    """
    topic = next((topic for topic in load_test_set(path).topics if topic.id == topic_id), None)
    inherited = topic.judgments if topic is not None else ()
    _editor(path).append(
        topic_id, [plain_judgment(one) for one in judgments], inherited=[plain_judgment(one) for one in inherited]
    )


def change_judgments(path: Path, topic_id: str, changes: Mapping[int, Judgment]) -> None:
    """Let judgments of a topic of a test-set file become others, and leave every other byte as it is.

    changes: the new judgment by its place among those that the file gives the topic, from 0. What the old one has and
        the new one leaves out stays.

    Raises InputError as append_judgments does.
    """
    load_test_set(path)
    _editor(path).change(topic_id, {number: plain_judgment(one) for number, one in changes.items()})


def change_many(path: Path, changes: Mapping[str, Mapping[int, Judgment]]) -> None:
    """Let judgments of many topics become others, by topic id, and write the file once. See change_judgments."""
    load_test_set(path)
    _editor(path).change_topics(
        {topic: {number: plain_judgment(one) for number, one in of.items()} for topic, of in changes.items()}
    )


def own_judgments(path: Path) -> frozenset[str]:
    """Ids of the topics to which a test-set file gives judgments; a paraphrase may have those of its original."""
    body = _located(path).value
    topics = body.get("topics") if isinstance(body, dict) else None
    named = [topic for topic in topics or () if isinstance(topic, dict) and topic.get("judgments")]
    return frozenset(str(topic.get("id")) for topic in named)


def add_judgment(path: Path, topic_id: str, judgment: Judgment) -> Addition | Judgment:
    """Add one judgment to a topic of a test-set file, so that it can be taken back. See append_judgments.

    Sessions that do so at the same time wait for each other. Where the topic has a judgment of the same passage already
    nothing is written, and that judgment is returned.
    """
    with alone(path):
        topic = next((topic for topic in load_test_set(path).topics if topic.id == topic_id), None)
        for known in topic.judgments if topic is not None else ():
            if known.passage == judgment.passage:
                return known
        return added(path, topic_id, lambda: append_judgments(path, topic_id, [judgment]))


def take_back(addition: Addition) -> None:
    """Take a judgment that was added out of its file again, and leave every other byte as it is.

    Raises InputError where the file was changed so that this is not certain; then it stays as it is.
    """
    with alone(addition.path):
        taken_back(addition, text_keys=TEXT_KEYS, free_key=FREE_KEY)


# --- other tools' formats ------------------------------------------------------------------------------------------


class Format(StrEnum):
    """Formats of labelled queries that other tools read and write."""

    TREC = "trec"
    BEIR = "beir"
    CSV = "csv"
    SUITE = "suite"


@dataclass(frozen=True, slots=True)
class ResolvedExport:
    """Labels of one generation's chunks, to be written instead of what the judgments say.

    labels: by chunk id, by topic.
    chunks: those that corpus.jsonl is to have: all of them, for a system that is to be measured with it.
    """

    labels: Mapping[str, Mapping[str, int]]
    chunks: Iterable[Chunk] = ()


def import_test_set(
    paths: Sequence[Path],
    format_: Format | None = None,
    *,
    name: str | None = None,
    split: str = "test",
    grades: Mapping[int, int] | None = None,
) -> tuple[TestSet, tuple[str, ...]]:
    """The test set that files of another tool hold, and what they say that it cannot, each a sentence.

    paths: topics and qrels for TREC, a folder for BEIR, a table, or the JSON of a suite.
    format_: None to see from the paths.
    split: of BEIR's judgments.
    grades: the label that stands for each grade of another scale; others stay as they are.

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
        other = any(problem.where.endswith("label") for problem in reading.errors)
        hint = "Grades of another scale are mapped: --map-label 3=2." if other else ""
        raise InputError(error.message, hint=hint)
    return reading.test_set, imported.left_out


def export_test_set(
    test_set: TestSet, path: Path, format_: Format, resolved: ResolvedExport | None = None
) -> tuple[str, ...]:
    """Write a test set for another tool; what of it that format cannot say, each a sentence.

    path: a folder that is new or empty for TREC (topics.trec, qrels.txt) and BEIR; a file that is not there for CSV.

    Raises InputError when there is something already, or it cannot be written.
    """
    topics = [plain_topic(topic) for topic in test_set.topics]
    labels = resolved.labels if resolved is not None else None
    if format_ is Format.TREC:
        files: Iterable[tuple[str, Iterable[str]]] = (
            ("topics.trec", [trec.write_topics(topics)]),
            ("qrels.txt", [trec.write_qrels(topics, labels)]),
        )
        _write_folder(path, files)
        return trec.lost_in_trec(topics, resolved=resolved is not None)
    if format_ is Format.BEIR:
        _write_folder(path, beir.beir_files(topics, labels, map(_corpus_row, resolved.chunks if resolved else ())))
        return ()
    if format_ is Format.SUITE:
        raise InputError("Test cases of other suites are read and not written.", hint="Write trec, beir or csv.")
    if resolved is not None:
        raise InputError(
            "A table has the judgments as they are.", hint="Leave --generation out, or write trec or beir."
        )
    if path.exists():
        raise InputError(f"{path} is there already.", hint="Name another file.")
    replace_file(path, csv_table.write_csv(topics).encode("utf-8"))
    return ()


def _format_of(paths: Sequence[Path]) -> Format:
    first = paths[0]
    if first.is_dir():
        return Format.BEIR
    suffix = first.suffix.lower()
    if len(paths) == 1 and suffix in {".csv", ".tsv"}:
        return Format.CSV
    return Format.SUITE if suffix == ".json" else Format.TREC


def _imported(paths: list[Path], format_: Format, split: str, grades: Mapping[int, int]) -> Imported:
    if format_ is Format.TREC:
        return trec.read_trec(read_text(paths[0]), [read_text(path) for path in paths[1:]], grades)
    if len(paths) > 1:
        raise InputError(f"{format_.value} is read from one path, not from {len(paths)}.")
    if format_ is Format.BEIR:
        return beir.read_beir(paths[0], split, grades)
    read = csv_table.read_csv if format_ is Format.CSV else suites.read_suite
    return read(read_text(paths[0]), grades)


def _write_folder(folder: Path, files: Iterable[tuple[str, Iterable[str]]]) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is there already, and is not an empty folder.", hint="Name another one.")
    for name, lines in files:
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("w", encoding="utf-8", newline="") as file:
                file.writelines(lines)
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}.") from None


def _corpus_row(chunk: Chunk) -> dict[str, object]:
    return {"_id": chunk.id, "title": chunk.trail, "text": chunk.text, "url": chunk.section_url}


def _located(path: Path) -> Located:
    return load(path, text_keys=TEXT_KEYS, free_key=FREE_KEY)


def _editor(path: Path) -> TestSetEditor:
    return TestSetEditor(path, text_keys=TEXT_KEYS, free_key=FREE_KEY)
