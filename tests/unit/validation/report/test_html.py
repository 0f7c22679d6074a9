"""The page of a report: what it shows first, what it keeps out, and that nothing in it can do anything."""

import base64
import hashlib
import re
from dataclasses import astuple, replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from tests import validations
from tests.html_pages import Element, read_page
from tests.validation_strategies import HOSTILE, any_validations
from tests.validations import topic_result, validation_of

from assay.model.evaluation import Anchoring
from assay.model.validations import LoadFigures, Validation
from assay.validation.report.html import to_html
from assay.validation.report.wording import printable

EXAMPLES = {
    "passed": validations.passed,
    "failed": validations.failed,
    "undecided": validations.undecided,
    "structure only": validations.structure_only,
}
ELEMENTS = {
    "html", "head", "meta", "title", "style", "body", "main", "header", "section", "article", "h1", "h2", "h3", "p",
    "span", "bdi", "div", "dl", "dt", "dd", "ul", "ol", "li", "code", "details", "summary", "blockquote", "a", "figure",
    "figcaption", "table", "thead", "tbody", "tr", "th", "td", "svg", "desc", "rect", "line", "circle", "text",
}  # fmt: skip
ATTRIBUTES = {
    "lang", "charset", "http-equiv", "content", "name", "class", "href", "rel", "dir", "scope", "role", "tabindex",
    "aria-label", "data-name", "viewbox", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "width", "height",
    "text-anchor",
}  # fmt: skip


def page(validation: Validation | None = None) -> Element:
    return read_page(to_html(validation or validations.failed()))


def headings(root: Element) -> list[str]:
    return [one.text for one in root.walk() if one.tag in {"h1", "h2"}]


def harmless(root: Element) -> None:
    """Nothing in the page is of a kind that could run, load, send or style anything."""
    for element in root.walk():
        assert element.tag in ELEMENTS | {"#document"}, element.tag
        assert set(element.attributes) <= ATTRIBUTES, element.attributes
    for anchor in root.all("a"):
        assert re.match(r"https?://", anchor.attributes["href"] or ""), anchor.attributes
        assert anchor.attributes["rel"] == "noreferrer noopener"
    assert len(root.all("style")) == 1
    assert len(root.all("html")) == len(root.all("body")) == len(root.all("title", None)) - len(root.all("svg")) == 1


# --- what a person sees --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_page_is_well_formed_and_harmless(name: str) -> None:
    harmless(page(EXAMPLES[name]()))


def test_the_verdict_comes_first_in_a_sentence() -> None:
    assert headings(page())[0] == "The candidate did not pass: 2 of 7 checks failed, and 1 could not be decided."
    assert headings(page(validations.passed()))[0] == "The candidate passed."
    assert (
        headings(page(validations.undecided()))[0] == "The candidate could not be judged: 1 of 6 checks is undecided."
    )


def test_then_comes_what_failed_and_what_to_do_then_the_figures_then_the_topics_and_at_the_end_what_they_are_of() -> (
    None
):
    assert headings(page())[1:] == [
        "What did not pass",
        "What deserves a look",
        "Measures",
        "Pictures",
        "Against the live generation",
        "Latency",
        "Hits to label",
        "Judgments",
        "Topics",
        "Every check",
        "What the figures are of",
    ]


def test_a_page_without_a_test_set_says_so_and_shows_no_empty_sections() -> None:
    root = page(validations.structure_only())
    assert headings(root)[1:] == ["Every check", "What the figures are of"]
    assert "No test set was given" in root.all("header")[0].text


def test_every_limit_that_was_missed_stands_with_its_value_its_limit_and_what_is_behind_it() -> None:
    first = page().all("article")[0].text
    assert "precision" in first
    assert "0.3571" in first
    assert "at least 80% of the topics have P@5 >= 0.8" in first
    assert "qos-sensors: P@5 0.00" in first
    assert "and 4 more" in first


def test_advice_is_shown_with_commands_as_code() -> None:
    codes = [code.text for code in page().all("code")]
    assert "assay testset repair" in codes


def test_topics_come_with_the_failed_first_then_the_worst() -> None:
    queries = [one.all("span", "query")[0].text for one in page().all("details", "topic")]
    assert queries[:3] == [
        "Which time stamp does an image carry?",
        "robot messaging between processes",
        "Which QoS profile should a subscriber use for sensor topics?",
    ]
    assert queries[-2:] == ["asdf qwerty zxcv", "quantum computing algorithms"]


def test_a_topic_shows_its_hits_with_labels_and_links() -> None:
    root = page(validation_of([topic_result(labels=(2, None, 0, 1, 1))]))
    hits = root.all("ol", "hits")[0].all("li")
    assert [hit.all("span", "pill")[0].text for hit in hits] == [
        "2 · answers it",
        "not judged",
        "0 · not relevant",
        "1 · helps",
        "1 · helps",
    ]
    assert hits[0].all("a")[0].attributes["href"] == f"{validations.SITE}/communication/nodes-and-topics#nodes"
    assert hits[0].all("blockquote")[0].text == validations.PASSAGES[0][3]


def test_long_texts_are_cut_and_their_lines_stay() -> None:
    one = topic_result(labels=(2,))
    hit = one.hits[0]
    long = "\n".join(f"line {number}" for number in range(1_000))
    one = replace(one, hits=(replace(hit, chunk=replace(hit.chunk, text=long)),))
    quoted = page(validation_of([one])).all("ol", "hits")[0].all("blockquote")[0].text
    assert quoted.startswith("line 0\nline 1\n")
    assert quoted.endswith("…")
    assert len(quoted) <= 500


def test_topics_are_folded() -> None:
    assert all("open" not in details.attributes for details in page().all("details"))


def test_standing_is_told_in_words_and_not_only_in_colour() -> None:
    words = {one.all("span", "pill")[0].text for one in page().all("details", "topic")}
    assert words == {"failed to run", "missed", "reached"}


def test_judgments_that_were_lost_are_listed_before_those_that_moved() -> None:
    table = next(one for one in page().all("table") if "passage has changed" in (one.attributes["aria-label"] or ""))
    became = [row.all("td")[0].text for row in table.all("tbody")[0].all("tr")]
    assert became == ["orphaned", "orphaned", "ambiguous", "re-anchored"]


def test_a_topic_that_expects_nothing_and_one_that_found_nothing_are_told() -> None:
    edge = topic_result("edge", "quantum", (), relevant=0, expects_answer=False)
    text = page(validation_of([edge])).all("details", "topic")[0].text
    assert "no answer" in text
    assert "It found nothing." in text


def test_an_empty_query_has_a_name() -> None:
    root = page(validation_of([topic_result(text=" ", labels=())]))
    assert root.all("span", "query")[0].text == "(empty query)"


def test_the_same_validation_gives_the_same_page() -> None:
    assert to_html(validations.failed()) == to_html(validations.failed())


# --- accessible ----------------------------------------------------------------------------------------------------


def test_the_page_names_its_language_and_its_width() -> None:
    root = page()
    assert root.all("html")[0].attributes["lang"] == "en"
    metas = {one.attributes.get("name"): one.attributes.get("content") for one in root.all("meta")}
    assert metas["viewport"] == "width=device-width, initial-scale=1"


def test_headings_go_down_one_level_at_a_time() -> None:
    levels = [int(one.tag[1]) for one in page().walk() if re.fullmatch(r"h\d", one.tag)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_chart_says_in_words_what_it_shows() -> None:
    charts = page().all("svg")
    assert len(charts) == 5
    for chart in charts:
        assert chart.attributes["role"] == "img"
        assert chart.all("title")[0].text
        assert chart.attributes["aria-label"] == f"{chart.all('title')[0].text}. {chart.all('desc')[0].text}"
    assert "P@5" in charts[0].all("desc")[0].text
    assert "0.0: 4; 0.2: 3; 0.4: 1; 0.6: 1; 0.8: 2; 1.0: 3" in charts[0].all("desc")[0].text


def test_every_table_has_a_name_and_headers_with_their_scope() -> None:
    for table in page().all("table"):
        assert table.attributes["aria-label"]
        assert {one.attributes["scope"] for one in table.all("thead")[0].all("th")} == {"col"}
        for row in table.all("tbody")[0].all("tr"):
            assert [one.attributes["scope"] for one in row.all("th")] == ["row"]


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG 2.2 defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_words_can_be_read_on_everything_that_they_stand_on(scheme: int) -> None:
    style = page().all("style")[0].text
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", style.split("prefers-color-scheme: dark")[scheme]))
    for ground in ("page", "card", "good-tint", "bad-tint", "open-tint", "code"):
        assert contrast(colours["text"], colours[ground]) >= 7.0
        assert contrast(colours["muted"], colours[ground]) >= 4.5, ground
    for ground in ("page", "card"):
        assert contrast(colours["link"], colours[ground]) >= 4.5
        assert contrast(colours["bar"], colours[ground]) >= 3.0
    for tone in ("good", "bad", "open"):
        for ground in ("card", f"{tone}-tint"):
            assert contrast(colours[tone], colours[ground]) >= 4.5, (tone, ground)


# --- nothing that does anything ------------------------------------------------------------------------------------


def test_the_page_forbids_everything_but_its_own_style() -> None:
    text = to_html(validations.failed())
    root = read_page(text)
    (policy,) = [
        one.attributes["content"] or ""
        for one in root.all("meta")
        if one.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    digest = base64.b64encode(hashlib.sha256(root.all("style")[0].text.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert text.index("Content-Security-Policy") < text.index("<title>")


def test_the_style_loads_nothing() -> None:
    style = page().all("style")[0].text
    assert "url(" not in style
    assert "@import" not in style
    assert "<" not in style


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_as_text_wherever_it_comes_from(text: str) -> None:
    one = topic_result(text=text, lost=(Anchoring.ORPHANED,), expected_criteria={text: text})
    hit = one.hits[0]
    document = replace(hit.chunk.document, title=text, url=text)
    chunk = replace(hit.chunk, text=text, document=document, heading_path=(text,), section=text)
    one = replace(one, hits=(replace(hit, chunk=chunk), *one.hits[1:]), values={**one.values, text: 0.5})
    whole = validation_of([one], advice=[text])
    finding = replace(
        validations.undecided().verdict.findings[-2], detail=text, limit=text, examples=(text,), check=text
    )
    whole = replace(
        whole,
        verdict=replace(whole.verdict, findings=(finding,), headline=text, notes=(text,), generation=text),
        provenance=replace(whole.provenance, target=text, test_set=text, generation=text, versions={text: text}),
    )
    root = page(whole)
    harmless(root)
    quoted = root.all("ol", "hits")[0].all("blockquote")[0].text
    assert quoted == printable(text).strip("\n")


def test_what_is_no_address_of_the_web_is_no_link() -> None:
    one = topic_result(labels=(2,))
    hit = one.hits[0]
    for url in ("javascript:alert(1)", "data:text/html,x", "//evil.example", "https://a b", "HTTPS\n://x", "/docs"):
        bad = replace(hit, chunk=replace(hit.chunk, document=replace(hit.chunk.document, url=url)))
        root = page(replace(validation_of([replace(one, hits=(bad,), resolutions=(), topic=one.topic)]), unjudged=()))
        assert root.all("ol", "hits")[0].all("a") == [], url


# --- size ----------------------------------------------------------------------------------------------------------


def test_ten_thousand_topics_make_a_page_of_at_most_five_megabytes_that_says_what_it_leaves_out() -> None:
    whole = validations.many(10_000)
    long = "All work and no play makes a long chunk. " * 60
    topics = tuple(
        replace(
            one,
            topic=replace(one.topic, text=f"{one.topic.text} {long}"),
            hits=tuple(replace(hit, chunk=replace(hit.chunk, text=long)) for hit in one.hits),
        )
        for one in whole.topics
    )
    text = to_html(replace(whole, topics=topics))
    assert len(text.encode()) < 5_000_000
    root = read_page(text)
    assert len(root.all("details", "topic")) == 100
    assert "8,900 topics with better values are left out here. The JSON report has all topics." in root.text


def test_a_hundred_topics_are_all_told_with_their_hits() -> None:
    root = page(validations.many(100))
    assert len(root.all("details", "topic")) == 100
    assert "left out here" not in root.text


@given(validation=any_validations())
@hypothesis_settings(max_examples=60)
def test_any_validation_is_a_page_that_is_well_formed_and_harmless(validation: Validation) -> None:
    text = to_html(validation)
    text.encode("utf-8")
    harmless(read_page(text))


def test_a_load_has_percentiles_by_stage_and_late_requests() -> None:
    stage = validations.percentiles(90, 12.0, 30.0)
    load = LoadFigures(
        *astuple(stage), "20 a second for 5 s", 3, 18.5, {"wait": stage}, {"StoreUnavailable": 3}, 20.0, 7, 4
    )
    latency = validations.passed().latency
    assert latency is not None
    page = to_html(replace(validations.passed(), latency=replace(latency, loads=(load,))))
    assert "20 a second for 5 s (18.5 a second, 3 errors, 7 sent late, 4 turned away)" in page
    assert "20 a second for 5 s: wait" in page
