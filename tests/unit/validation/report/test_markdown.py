"""The comment on a pull request: short, true, and unable to do anything to whoever reads it."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from markdown_it import MarkdownIt
from markdown_it.token import Token
from tests import validations
from tests.html_pages import Element, read_page
from tests.validation_strategies import HOSTILE, any_validations
from tests.validations import topic_result, validation_of

from assay.model.validations import Validation
from assay.validation.report.markdown import LIMIT, to_markdown
from assay.validation.report.wording import printable

PARSER = MarkdownIt("commonmark").enable("table")
RAW = MarkdownIt("commonmark").enable("table").disable("text_join")
"""Leaves apart what stands as itself and what stands as its number."""

ELEMENTS = {
    "#document", "h2", "h3", "p", "blockquote", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "strong",
    "code", "details", "summary", "sub", "a",
}  # fmt: skip


def rendered(text: str) -> Element:
    """The comment as a code host shows it, Markdown's own rules applied."""
    return read_page(PARSER.render(text))


def words(element: Element) -> str:
    return " ".join(element.text.split())


def harmless(text: str) -> None:
    """No element but those that the comment is made of, and outside of code nothing that a code host acts on."""
    root = rendered(text)
    assert {one.tag for one in root.walk()} <= ELEMENTS
    for anchor in root.all("a"):
        assert re.match(r"https?://", anchor.attributes["href"] or "")
    plain = "".join(spoken(root))
    assert not re.search(r"(^|[^\w])@\w", plain), "a mention"
    assert not re.search(r"#\d", plain), "an issue"
    assert not re.search(r"(?i)\bGH-\d", plain), "an issue"
    for token in walk(RAW.parse(text)):
        if token.type == "text":
            assert not re.search(r"(?i)https?://|www\.", token.content), "a link that a code host would make"


def spoken(element: Element) -> list[str]:
    """Text outside of code."""
    if element.tag == "code":
        return ["\0"]
    return [part for child in element.children for part in ([child] if isinstance(child, str) else spoken(child))]


def walk(tokens: list[Token]) -> list[Token]:
    """Tokens as they stand in the source, before entities are characters."""
    return [inner for token in tokens for inner in (token, *(token.children or []))]


def test_the_verdict_comes_first() -> None:
    assert to_markdown(validations.passed()).startswith(
        "## ✅ PASS: The candidate passed\n\n12/15 queries (80%) achieved precision@5 >= 0.80.\n"
    )
    assert to_markdown(validations.failed()).startswith(
        "## ❌ FAIL: The candidate did not pass: 2 of 7 checks failed, and 1 could not be decided\n"
    )
    assert to_markdown(validations.undecided()).startswith("## ❓ INCONCLUSIVE: The candidate could not be judged")


def test_sections_stand_in_the_order_in_which_they_matter() -> None:
    root = rendered(to_markdown(validations.failed()))
    assert [one.text for one in root.all("h3")] == [
        "What did not pass",
        "What deserves a look",
        "Measures",
        "Topics that missed P@5 0.8",
        "Against the live generation",
    ]
    assert [one.text for one in root.all("summary")] == ["3 hits to label, the most useful first", "4 checks passed"]


def test_tables_are_tables() -> None:
    root = rendered(to_markdown(validations.failed()))
    tables = root.all("table")
    assert len(tables) == 6
    for table in tables:
        columns = len(table.all("thead")[0].all("th"))
        assert {len(row.all("td")) for row in table.all("tbody")[0].all("tr")} == {columns}


def test_findings_have_their_value_and_limit() -> None:
    first = rendered(to_markdown(validations.failed())).all("table")[0].all("tbody")[0].all("tr")[0]
    assert [words(cell) for cell in first.all("td")] == [
        "❌ FAIL",
        "precision",
        "0.3571",
        "at least 80% of the topics have P@5 >= 0.8",
        "5 of 14 topics (0.357) have P@5 >= 0.8; required: 80%",
    ]


def test_topics_that_missed_come_worst_first_and_those_that_failed_before() -> None:
    table = rendered(to_markdown(validations.failed())).all("table")[2]
    rows = [[words(cell) for cell in row.all("td")] for row in table.all("tbody")[0].all("tr")]
    assert rows[0] == [
        "Which time stamp does an image carry?",
        "specific",
        "failed: The embedder did not answer within 30 s.",
        "",
        "",
    ]
    assert rows[1] == ["robot messaging between processes", "paraphrase", "0.00", "0.00", "–"]
    assert len(rows) == 10


def test_a_pass_without_anything_missed_has_no_list_of_topics() -> None:
    good = validation_of([topic_result()])
    assert "Topics that missed" not in to_markdown(good)


def test_notes_stand_right_below_the_verdict() -> None:
    root = rendered(to_markdown(validations.structure_only()))
    assert words(root.all("blockquote")[0]).startswith("No test set was given")


def test_what_the_figures_are_of_stands_at_the_end() -> None:
    last = words(rendered(to_markdown(validations.passed())).all("sub")[0])
    assert "generation 20260302T100105Z-9c1e" in last
    assert "static/wordllama-l2-256" in last
    assert last.endswith("2026-03-02 10:04:05 UTC")


@pytest.mark.parametrize("name", ["passed", "failed", "undecided", "structure_only", "small"])
def test_the_examples_are_harmless(name: str) -> None:
    harmless(to_markdown(getattr(validations, name)()))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_query_is_seen_as_it_is_and_does_nothing(text: str) -> None:
    whole = validation_of([topic_result(text=text, labels=(None, 0, 0, 0, 0))])
    comment = to_markdown(whole)
    harmless(comment)
    table = rendered(comment).all("table")[2]
    assert words(table.all("tbody")[0].all("td")[0]) == " ".join(printable(text).split())


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_name_in_a_sentence_does_nothing(text: str) -> None:
    comment = to_markdown(validation_of([topic_result()], advice=[f"Look at {text}"]))
    harmless(comment)
    shown = words(rendered(comment).all("li")[0])
    if text.count("`") % 2 or "`" not in text:
        assert shown == f"Look at {' '.join(printable(text).split())}"


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "https://docs.example.org/a|b>)(<c>", "https://docs.example.org/\n\nx", "//x"]
)
def test_a_hostile_address_stays_within_its_link(url: str) -> None:
    one = topic_result(labels=(None,))
    hit = one.hits[0]
    bad = replace(hit, chunk=replace(hit.chunk, document=replace(hit.chunk.document, url=url)))
    whole = validation_of([replace(one, hits=(bad,))])
    comment = to_markdown(whole)
    harmless(comment)
    table = rendered(comment).all("table")[-2]
    assert [len(row.all("td")) for row in table.all("tbody")[0].all("tr")] == [4]
    assert len(table.all("a")) == url.startswith("https://")


def test_a_comment_never_gets_too_long_and_says_how_much_is_left_out() -> None:
    text = "&|<" * 400
    topics = [topic_result(f"{text} {n}", f"{text} {n}", (None,) * 5) for n in range(300)]
    whole = validation_of(topics, advice=[text] * 100)
    findings = tuple(
        replace(whole.verdict.findings[-1], check=f"{text} {n}", limit=text, detail=text, outcome=one.outcome)
        for n in range(60)
        for one in whole.verdict.findings
    )
    whole = replace(
        whole,
        verdict=replace(whole.verdict, findings=findings, notes=(text,) * 20, headline=text),
        against_live=validations.failed().against_live * 20,
        provenance=replace(whole.provenance, target=text, test_set=text, versions={"assay": text}),
    )
    comment = to_markdown(whole)
    assert len(comment) <= LIMIT
    assert re.search(r"… and \d+ checks more, in the report\.", comment)
    assert re.search(r"… and \d+ topics more, in the report\.", comment)
    harmless(comment)


def test_the_same_validation_gives_the_same_comment() -> None:
    assert to_markdown(validations.failed()) == to_markdown(validations.failed())


@given(validation=any_validations())
@hypothesis_settings(max_examples=60)
def test_any_validation_is_a_harmless_comment(validation: Validation) -> None:
    comment = to_markdown(validation)
    comment.encode("utf-8")
    assert len(comment) <= LIMIT
    harmless(comment)
