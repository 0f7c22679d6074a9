"""The journal of labels: complete after a restart, and unharmed by damaged lines."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.adapters.testset_files.label_journal import LabelJournal
from assay.errors import ConfigurationError
from assay.model.evaluation import Passage, Quote, Span
from assay.model.labelling import Addition, LabelEntry

AT = datetime(2026, 3, 2, 10, 30, tzinfo=UTC)
PASSAGE = Passage(url="https://docs.example/a", quote=Quote("wörds", "be\nfore ", " after"), position=Span(3, 8))


@pytest.fixture
def journal(tmp_path: Path) -> LabelJournal:
    return LabelJournal(tmp_path / "data" / "labels.jsonl")


def entry(name: str, file: Path, **changes: object) -> LabelEntry:
    addition = Addition(file, "topic", 7, b"", "- {quote: wörds}\r\n\xff".encode("utf-16"), "ab" * 32)
    fields = {"judge": "ada", "topic_id": "topic", "content_hash": "cd" * 32, "passage": PASSAGE, "label": 2}
    return LabelEntry(id=name, at=AT, **({**fields, "addition": addition} | changes))  # type: ignore[arg-type]


def test_entries_come_back_as_they_were_in_their_order(journal: LabelJournal, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    kept = [
        entry("1", file),
        entry("2", file, passage=None, label=None, addition=None),
        entry("3", file, passage=Passage(content_hash="ef" * 32), content_hash=None, addition=None, judge=""),
    ]
    for one in kept:
        journal.add(file, one)
    journal.add(tmp_path / "b.yaml", entry("4", tmp_path / "b.yaml"))
    assert LabelJournal(tmp_path / "data" / "labels.jsonl").of(file) == kept


def test_an_undone_entry_is_left_out_and_stays_so(journal: LabelJournal, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    first, second = entry("1", file), entry("2", file)
    for one in (first, second):
        journal.add(file, one)
    journal.undo(file, first)
    assert journal.of(file) == [second]


def test_damaged_lines_are_ignored(journal: LabelJournal, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    journal.add(file, entry("1", file))
    path = tmp_path / "data" / "labels.jsonl"
    with path.open("ab") as lines:
        for damaged in (
            b"{\n",
            b"[]\n",
            b'{"file": 3}\n',
            path.read_bytes().replace(b'"at"', b'"when"'),
            b"\xff\xfe\n",
        ):
            lines.write(damaged)
    journal.add(file, entry("2", file))
    assert [one.id for one in journal.of(file)] == ["1", "2"]


def test_a_folder_that_cannot_be_written_is_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file", encoding="utf-8")
    journal = LabelJournal(tmp_path / "data" / "labels.jsonl")
    with pytest.raises(ConfigurationError, match="journal of labels"):
        journal.add(tmp_path / "a.yaml", entry("1", tmp_path / "a.yaml"))
