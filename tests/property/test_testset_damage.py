"""What holds for every damaged file: it is read, or refused in words; nothing else is raised."""

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.handwriting import json_by_hand, yaml_by_hand
from tests.testset_samples import HALF, labelled_sets, written

from assay.app.testsets import Format, examine_test_set, export_test_set, import_test_set, text_of
from assay.errors import InputError
from assay.model.evaluation import TestSet
from assay.validation.testsets.plain import to_plain

_PIECES = [
    *"\t\n\r \"'{}[]:,-#&*!|>%@`<\\/.0~?",
    "\r\n",
    "\ufeff",
    "\u2028",
    "\x85",
    "\x07",
    "é",
    "😀",
    "&a ",
    "*a",
    "!!int ",
]


@st.composite
def damaged(draw: st.DrawFn, text: str) -> str:
    """A text with a few places in which something is missing, doubled or foreign."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 2, 10, 100])))
        text = text[:start] + draw(st.sampled_from([*_PIECES, text[start:end] * 2, ""])) + text[end:]
    return text


def looked_at(folder: str, text: str, name: str) -> None:
    path = written(Path(folder), text, name)
    try:
        reading = examine_test_set(path)
    except InputError:
        return
    assert (reading.test_set is None) == bool(reading.error_count)
    assert all(problem.message and problem.place.line <= text.count("\n") + 1 for problem in reading.errors)


@HALF
@given(labelled_sets(), st.data())
def test_damaged_yaml(test_set: TestSet, data: st.DataObject) -> None:
    text = data.draw(damaged(data.draw(yaml_by_hand(to_plain(test_set)))))
    with TemporaryDirectory() as folder:
        looked_at(folder, text, "set.yaml")


@HALF
@given(labelled_sets(), st.data())
def test_damaged_json(test_set: TestSet, data: st.DataObject) -> None:
    text = data.draw(damaged(data.draw(json_by_hand(to_plain(test_set)))))
    with TemporaryDirectory() as folder:
        looked_at(folder, text, "set.json")
        looked_at(folder, text_of(test_set, "jsonl")[:-1] + text, "set.jsonl")


@pytest.mark.parametrize("format_", [Format.TREC, Format.BEIR, Format.CSV])
@HALF
@given(labelled_sets(), st.data())
def test_damaged_files_of_other_tools(format_: Format, test_set: TestSet, data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / ("set.csv" if format_ is Format.CSV else "set")
        export_test_set(test_set, path, format_)
        files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
        hurt = data.draw(st.sampled_from(files))
        hurt.write_bytes(data.draw(damaged(hurt.read_bytes().decode("utf-8"))).encode("utf-8"))
        paths = [path / "topics.trec", path / "qrels.txt"] if format_ is Format.TREC else [path]
        with suppress(InputError):
            import_test_set(paths, format_)


@given(st.binary(max_size=200), st.sampled_from(["set.yaml", "set.json", "set.jsonl", "set.csv", "set.trec"]))
def test_any_bytes(content: bytes, name: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        with suppress(InputError):
            examine_test_set(path) if path.suffix.startswith((".y", ".j")) else import_test_set([path])
