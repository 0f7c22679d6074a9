"""Pages that say the same are grouped, and pages that only look alike are not."""

from collections.abc import Callable, Sequence

import pytest
from tests.structures import WORDS

from assay.validation.content.alike import AlikePages

LOGIN = "# Sign in\n\nPlease sign in with your account to read the documentation of this product."


def _groups(texts: Sequence[str], urls: Sequence[str] | None = None) -> list[tuple[str, ...]]:
    pages = AlikePages()
    for url, text in zip(urls or [f"https://a.example/{n}" for n in range(len(texts))], texts, strict=True):
        pages.offer(url, text)
    return pages.groups()


def _long(word: str, count: int = 400) -> str:
    return " ".join(f"{word} {WORDS[(n * n + len(word)) % len(WORDS)]} {n % 89}" for n in range(count))


def test_equal_pages_are_one_group_and_two_of_them_are_none() -> None:
    assert _groups([LOGIN] * 3) == [("https://a.example/0", "https://a.example/1", "https://a.example/2")]
    assert _groups([LOGIN] * 2) == []


@pytest.mark.parametrize(
    "say",
    [
        lambda n: f"# Page {n}\n\n{LOGIN}",
        lambda n: f"{LOGIN} You come from /docs/{WORDS[n]}/.",
        lambda n: f"{LOGIN} Request 8f14e45f-{n:04}, 10:04:{n:02}.",
        lambda n: f"{LOGIN} https://login.example/?next={WORDS[n]}",
        lambda n: f"{_long('shared')} {WORDS[n]}",
    ],
    ids=["its own heading", "its own path", "its own request", "its own address", "one other word of many"],
)
def test_pages_that_differ_in_nothing_a_reader_looks_for_are_alike(say: Callable[[int], str]) -> None:
    assert [len(group) for group in _groups([say(n) for n in range(8)])] == [8]


@pytest.mark.parametrize(
    "say",
    [
        lambda n: f"The {WORDS[n]} is checked every two days by somebody who knows how.",
        lambda n: f"Error {n}: the robot has stopped.",
        lambda n: f"{_long('shared', 100)} {_long(WORDS[n], 40)}",
        lambda _: "",
        lambda _: "# Only a title",
    ],
    ids=["a name", "a number", "a third of a long page", "empty", "a title"],
)
def test_pages_that_differ_in_what_they_say_are_not_alike(say: Callable[[int], str]) -> None:
    assert _groups([say(n) for n in range(8)]) == []


def test_copies_of_one_page_in_several_folders_are_no_group() -> None:
    urls = [f"https://a.example/{version}/intro/" for version in ("1.0", "2.0", "3.0", "de", "fr")]
    assert _groups([LOGIN] * 5, urls) == []
    assert len(_groups([LOGIN] * 3, [f"https://a.example/page?id={n}" for n in range(3)])) == 1


def test_groups_come_largest_first() -> None:
    other = "The maintenance of this site takes an hour, and then it is back."
    found = _groups([other, LOGIN, other, LOGIN, LOGIN, other, LOGIN, "Something else is said here."])
    assert [len(group) for group in found] == [4, 3]
