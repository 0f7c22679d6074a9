"""Pages that the generators themselves made (tests/fixtures/sites): read without chrome and without loss."""

import re
from html.parser import HTMLParser

import pytest
from tests.site_generators.kept import KeptPage, kept_pages
from tests.site_generators.units import own_ids, score, units

from assay.model.documents import Document

PAGES = kept_pages()

CHROME = [
    "Nav one", "Nav two", "Nav three", "Nav four", "Nav de", "Section nav", "Top nav", "Footer nav", "Footer link",
    "says the banner", "Larder Manual", "Copyright the shelf makers", "Said of the site",
    "Edit this page", "Edit page", "Edit on GitHub", "Suggest an edit", "View page source", "View this page", "Copy",
    "Create documentation issue", "Previous", "Next", "Back to", "On this page", "Table of contents", "Skip to",
    "Search", "Last updated", "Last modified", "pantry-tag", "Was this", "Feedback", "feedback", "Glad to hear it",
    "Terminal window", "Section titled", "Permalink", "Direct link", "Permanent link", "Heading self-link",
    "unreleased documentation", "no longer actively maintained", "Version: ", "minute read", "Footnotes",
    "Published with", "Made with", "Built with", "Powered by", "results matching", "ookie", "¶", "↩", "\u200b",
    "Toggle", "Dismiss", "Shelf maker", "Directory",
]  # fmt: skip


class _Ids(HTMLParser):
    """The text that follows the element of each id, up to a hundred characters."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self.repeated: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, given in attrs:
            if name == "id" and given:
                if given in self.texts:
                    self.repeated.add(given)
                else:
                    self.texts[given] = ""

    def handle_data(self, data: str) -> None:
        for name, text in self.texts.items():
            if len(text) < 100:
                self.texts[name] = text + data


def _ids(html: str) -> _Ids:
    parser = _Ids()
    parser.feed(html)
    return parser


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    """Each page read once."""
    return {page.name: page.read() for page in PAGES}


pages = pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])


@pages
def test_a_page_says_all_that_its_source_says_and_nothing_else_in_its_order(
    page: KeptPage, documents: dict[str, Document]
) -> None:
    assert units(documents[page.name].text) == units(page.expected)


@pages
def test_no_chrome_is_in_a_page(page: KeptPage, documents: dict[str, Document]) -> None:
    assert [word for word in CHROME if word in documents[page.name].text] == []


def test_the_chrome_that_is_looked_for_is_on_the_pages() -> None:
    everything = "".join(page.html for page in PAGES)
    assert [word for word in CHROME if word not in everything] == []


@pages
def test_every_heading_has_the_id_that_stands_at_it(page: KeptPage, documents: dict[str, Document]) -> None:
    ids = _ids(page.html)
    for section in documents[page.name].sections:
        if section.level == 0:
            continue
        if section.anchor is None:
            # The first heading may have none, and no link leads to the second one of an id that stands there twice.
            assert section.level == 1 or any(ids.texts[name].startswith(section.heading) for name in ids.repeated)
            continue
        following = re.sub(r"\s+", "", ids.texts[section.anchor]).removeprefix("#")
        assert following.startswith(re.sub(r"\s+", "", section.heading)[:60])


# reStructuredText gives such a heading two ids, and its own comes first.
CHOSEN = [page for page in PAGES if own_ids(page.expected) and not page.name.startswith("rtd/")]


@pytest.mark.parametrize("page", CHOSEN, ids=[page.name for page in CHOSEN])
def test_a_heading_has_the_id_that_its_author_chose(page: KeptPage, documents: dict[str, Document]) -> None:
    anchors = {section.heading: section.anchor for section in documents[page.name].sections}
    for heading, anchor in own_ids(page.expected).items():
        assert anchors[heading] == anchor


@pages
def test_the_title_is_the_first_heading(page: KeptPage, documents: dict[str, Document]) -> None:
    first = page.expected.split("\n", 1)[0].lstrip("# ").replace("`", "")
    assert documents[page.name].info.title == first


def test_links_lead_where_a_browser_would_go(documents: dict[str, Document]) -> None:
    for page in PAGES:
        for link in documents[page.name].links:
            assert link.target.startswith(("https://", "http://"))


@pytest.mark.parametrize(
    ("read", "expected", "precision", "recall"),
    [
        (["One.", "Two."], ["One.", "Two."], 1.0, 1.0),
        (["One.", "One."], ["One."], 0.5, 1.0),
        (["One."], ["One.", "Two."], 1.0, 0.5),
        ([], ["One."], 0.0, 0.0),
    ],
)
def test_units_are_counted_as_often_as_they_stand_there(
    read: list[str], expected: list[str], precision: float, recall: float
) -> None:
    result = score(read, expected)
    assert (result.precision, result.recall) == (precision, recall)


def test_code_is_one_unit_with_its_language_title_and_blanks() -> None:
    text = '- item. More\n  ````js title="a.js"\n  a  b\n\n  ```\n  c\n  ````\n- [x] next'
    assert units(text) == ["- item.", "More", '```js title="a.js"\na  b\n\n```\nc', "- [x] next"]
