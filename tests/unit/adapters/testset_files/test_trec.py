"""TREC's topics: marks that nothing closes are read in linear time."""

from pathlib import Path

import pytest

from assay.adapters.testset_files.edits import _REST_OF_LINE
from assay.adapters.testset_files.text_file import TextFile
from assay.adapters.testset_files.trec import read_topics
from assay.errors import InputError

TOPIC = "<TOP extra>\n<num> Number: 7\n<title> a title\n</Top>\n"


def _file(text: str) -> TextFile:
    return TextFile(Path("topics.txt"), text, "utf-8", b"", b"")


def test_a_block_ends_at_its_own_closing_mark() -> None:
    found = [*read_topics(_file(f"<topic>\n{TOPIC}{TOPIC}"))]
    assert [(topic["id"], topic["text"], place.line) for topic, place in found] == [
        ("7", "a title", 2),
        ("7", "a title", 6),
    ]


@pytest.mark.parametrize("text", ["<top>" * 100_000, "<top" * 100_000, "<top " * 100_000 + "</top>"])
def test_blocks_that_nothing_closes_are_no_topics(text: str) -> None:
    with pytest.raises(InputError, match="a topic is an id"):
        [*read_topics(_file(text))]


def test_blocks_that_nothing_closes_do_not_hide_one_that_is_closed() -> None:
    found = [*read_topics(_file("<topic>" * 50_000 + TOPIC + "<topic " * 50_000))]
    assert [topic["id"] for topic, _ in found] == ["7"]


def test_a_line_of_blanks_after_a_judgment_is_looked_through_once() -> None:
    assert _REST_OF_LINE.match(" " * 200_000) is None
