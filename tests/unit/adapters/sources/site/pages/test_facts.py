"""The facts of a page take memory within bounds, and say the same as without them."""

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.sources.site.pages import facts
from assay.adapters.sources.site.pages.facts import PageFacts, read_html_facts

NOW = datetime(2026, 1, 2, tzinfo=UTC)
ROWS = re.compile(
    r"(?:(?:\d+|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]{0,7}\b)"
    r"[\s.,:/-]*)+",
    re.IGNORECASE,
)


def _facts(page: str) -> PageFacts:
    return read_html_facts(page, "https://x.org/guide/1", {}, NOW).facts


@given(st.lists(st.sampled_from(["1", "20", "Jan", "Monday", "may", "maybes", "word", " ", ", ", ":", "-", "é", "#"])))
def test_a_row_of_numbers_and_dates_is_one_mark(parts: list[str]) -> None:
    text = "".join(parts)
    assert facts._without_numbers(text) == ROWS.sub("#", text)


def test_pages_of_a_series_are_alike_but_for_numbers_and_dates() -> None:
    one, other, another = (
        _facts(f"<main><p>{text}, and so much is the same on each of them.")
        for text in ("Report 12 of Mon, 3 Jan 2022", "Report 1 of Tue, 14 Feb 2023", "Notes 1 of Tue, 14 Feb 2023")
    )
    assert one.skeleton == other.skeleton != another.skeleton


@pytest.fixture
def five_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "_MAX_TAGS_PARSED", 5)


@pytest.mark.usefixtures("five_tags")
def test_of_a_page_with_tags_beyond_reason_the_first_are_parsed() -> None:
    read = read_html_facts("<title>T</title><h1>A</h1><a href=/b>b<a href=/c>c", "https://x.org/1", {}, NOW)
    assert (read.facts.title, read.facts.heading) == ("T", "A")
    assert read.links == ("https://x.org/b",)


@pytest.mark.usefixtures("five_tags")
def test_pages_that_differ_beyond_the_parsed_part_are_not_alike() -> None:
    begun = "<p>a" * 5
    assert _facts(f"{begun}<p>b").fingerprint != _facts(f"{begun}<p>c").fingerprint
    assert _facts(f"{begun}<p>b").fingerprint == _facts(f"{begun}<p>b").fingerprint
