"""What `assay search` prints of a ranking."""

from dataclasses import replace
from io import StringIO

from rich.console import Console
from tests.rankings import URL, hit_of, ranking_of

from assay.cli.commands.searching import show_ranking
from assay.model.headings import InnerHeading
from assay.model.ranking import Ranking

FILLER = "Something else is said here at some length. " * 6
TEXT = f"{FILLER}\n\n## Queue\n\nHow many messages wait."
HIT = hit_of(TEXT, inner_headings=(InnerHeading(TEXT.index("##"), 3, "Queue", "queue"),))


def shown(ranking: Ranking, *, full: bool = False, styled: bool = False) -> str:
    colors = "standard" if styled else None
    console = Console(file=StringIO(), width=1_000, force_terminal=styled, color_system=colors, highlight=False)
    show_ranking(console, ranking, full=full)
    return console.file.getvalue()  # type: ignore[attr-defined]  # of a StringIO


def test_a_hit_shows_the_part_that_matches_and_the_link_to_its_heading() -> None:
    out = shown(ranking_of(HIT, text="messages"))
    assert "1. Nodes and topics › Concepts › Topics › Queue  similarity 0.50" in out
    assert f"   {URL}#queue\n   How many messages wait.\n" in out
    assert "Something else" not in out


def test_the_whole_passage_is_shown_on_request() -> None:
    out = shown(ranking_of(HIT, text="messages"), full=True)
    assert "Something else" in out
    assert f"{URL}#queue" in out


def test_the_words_of_the_query_are_highlighted() -> None:
    assert "How many \x1b[1;33mmessages\x1b[0m wait." in shown(ranking_of(HIT, text="message"), styled=True)


def test_pages_are_numbered_and_further_passages_of_a_page_follow_its_first_one_without_a_number() -> None:
    document = replace(HIT.chunk.document, url="https://docs.example.org/other")
    other = hit_of("Messages of another page.", rank=2, document=document)
    out = shown(ranking_of(HIT, other, hit_of("Messages talk.", rank=3), text="messages"))
    titles = [line for line in out.splitlines() if "  similarity " in line]
    assert [title.partition("  similarity")[0] for title in titles] == [
        "1. Nodes and topics › Concepts › Topics › Queue",
        "   also: Topics",
        "2. Nodes and topics › Concepts › Topics",
    ]
    assert "3 hits on 2 pages in " in out
