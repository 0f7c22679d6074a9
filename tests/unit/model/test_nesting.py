"""Pages beyond all reason, before they are parsed."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from assay.model.nesting import limit_nesting


def test_an_ordinary_page_stays_as_it_is() -> None:
    page = "<main>" + "<p>a <b>b</b><br><img src=x><ul><li>c</ul>" * 5_000 + "</main>"
    assert limit_nesting(page) == page


@pytest.mark.parametrize("tag", ["div", "b", "ul", "details", "x-y", "div/"])
def test_no_more_than_512_elements_stay_in_each_other_and_all_text_stays(tag: str) -> None:
    page = limit_nesting(f"<{tag}>a" * 5_000)
    assert page.count(f"<{tag}>") == 512
    assert page.count("a") - tag.count("a") * 512 == 5_000


def test_elements_after_deep_nesting_keep_their_tags() -> None:
    deep = "<div>" * 2_000 + "a" + "</div>" * 2_000
    assert limit_nesting(deep + "<h2 id=x>b</h2>").endswith("</div><h2 id=x>b</h2>")


def test_a_tag_with_attributes_by_the_thousand_has_none_and_one_with_a_long_one_keeps_it() -> None:
    attributes = " ".join(f"attribute-{number}=1" for number in range(2_000))
    assert limit_nesting(f"<p {attributes}>a</p>") == "<p>a</p>"
    picture = f'<img alt="a" src="data:image/png;base64,{"A" * 50_000}">'
    assert limit_nesting(picture) == picture


@pytest.mark.parametrize(
    "unit",
    [
        "<div></i>",
        "<div a='</div>'>",
        '<div a="</div>">',
        "<div a</div>",
        "<div><!-- </div> -->",
        "<div><!--></div>",
        "<div><script></div></script>",
        '<div><script a="></script></div>"></script>',
        "<div><style></div></style>",
        "<div><!x </div>",
        "<div></ </div>",
        "<g><![CDATA[></g>]]>",
        "<rt>a",
        "<rp>a",
        "<optgroup>a",
        "<ruby></ruby><rt>",
        "<DIV></i>",
    ],
)
@pytest.mark.parametrize("before", ["", "<svg>"])
def test_nothing_hides_how_deep_elements_stand_in_each_other(unit: str, before: str) -> None:
    tree = LexborHTMLParser(limit_nesting(before + unit * 21_000))
    assert _depth(tree) < 520


def _depth(tree: LexborHTMLParser) -> int:
    """How deep the deepest element stands, found without recursion."""
    deepest, waiting = 0, [(tree.root, 0)]
    while waiting:
        node, depth = waiting.pop()
        deepest = max(deepest, depth)
        child = node.first_child if node is not None else None
        while child is not None:
            waiting.append((child, depth + 1))
            child = child.next
    return deepest


def test_what_ends_where_the_next_begins_is_not_deep() -> None:
    for page in ("<ruby>a<rt>b</ruby>" * 8_000, "<ul>" + "<li>a" * 21_000, "<select>" + "<optgroup label=a>" * 21_000):
        assert limit_nesting(page) == page


def test_a_list_of_very_many_options_loses_their_tags_and_no_text() -> None:
    few = "<select>" + "<option>a</option>" * 400 + "</select>"
    assert limit_nesting(few) == few
    many = limit_nesting("<select>" + "<oPtion value=1>a</OPTION>" * 2_000 + "</select>")
    assert "ption" not in many
    assert many.count("a") == 2_000


@pytest.mark.timeout(20)
@pytest.mark.parametrize("tag", ["td", "/b", "body", "tr", "form", "/p", "html", "caption"])
def test_tags_that_a_parser_passes_over_lose_attributes_beyond_reason(tag: str) -> None:
    page = limit_nesting(f"<p>a<{tag} q=a b='<i>'>ab" * 100_000)
    assert " q=a" not in page
    assert page.count("ab") == 100_000
    assert (LexborHTMLParser(page).text() or "").count("ab") == 100_000


def test_a_large_table_keeps_its_attributes() -> None:
    page = "<table>" + "<tr class=a><td colspan=2>a</td><td>b</td></tr>" * 4_000 + "</table>"
    assert limit_nesting(page) == page


@pytest.mark.timeout(20)
def test_data_that_never_ends_is_looked_for_once() -> None:
    page = "<![CDATA[ <b>" * 100_000
    assert limit_nesting(page).count("<b>") == 512


@pytest.mark.parametrize("page", ["</b " * 100_000, ("<" + "a" * 9_990) * 50, "<p " + "a" * 200_000])
def test_tags_that_never_end_stay_and_are_read_in_linear_time(page: str) -> None:
    assert limit_nesting(page) == page
