"""Pages beyond all reason, before they are parsed."""

import pytest

from assay.model.nesting import tamed


def test_an_ordinary_page_stays_as_it_is() -> None:
    page = "<main>" + "<p>a <b>b</b><br><img src=x><ul><li>c</ul>" * 5_000 + "</main>"
    assert tamed(page) == page


@pytest.mark.parametrize("tag", ["div", "b", "ul", "details", "x-y", "div/"])
def test_no_more_than_512_elements_stay_in_each_other_and_all_text_stays(tag: str) -> None:
    page = tamed(f"<{tag}>a" * 5_000)
    assert page.count(f"<{tag}>") == 512
    assert page.count("a") - tag.count("a") * 512 == 5_000


def test_what_stands_after_something_deep_keeps_its_tags() -> None:
    deep = "<div>" * 2_000 + "a" + "</div>" * 2_000
    assert tamed(deep + "<h2 id=x>b</h2>").endswith("</div><h2 id=x>b</h2>")


def test_a_tag_with_attributes_by_the_thousand_has_none_and_one_with_a_long_one_keeps_it() -> None:
    attributes = " ".join(f"attribute-{number}=1" for number in range(2_000))
    assert tamed(f"<p {attributes}>a</p>") == "<p>a</p>"
    picture = f'<img alt="a" src="data:image/png;base64,{"A" * 50_000}">'
    assert tamed(picture) == picture
