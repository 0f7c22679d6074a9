"""The index of the documentation leads to every page."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
PAGES = sorted(page for page in DOCS.glob("*.md") if page.name != "index.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_index_links_to_every_page(page: Path) -> None:
    assert f"]({page.name})" in (DOCS / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "page", [*sorted(DOCS.glob("*.md")), *sorted(DOCS.parent.glob("*.md"))], ids=lambda page: page.name
)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text)]
    lost = [link for link in links if link not in {"", "…"} and "://" not in link and not (page.parent / link).exists()]
    assert not lost


def _anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives a page's headings."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    "page", [*sorted(DOCS.glob("*.md")), *sorted(DOCS.parent.glob("*.md"))], ids=lambda page: page.name
)
def test_every_link_into_a_page_leads_to_a_heading_of_it(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    lost = [
        f"{place}#{anchor}"
        for place, anchor in re.findall(r"\]\(([\w./-]*)#([^)\s]+)\)", text)
        if (not place or place.endswith(".md")) and anchor not in _anchors(page.parent / place if place else page)
    ]
    assert not lost


def test_no_two_decisions_have_one_number() -> None:
    numbers = [page.name[:4] for page in (DOCS / "decisions").glob("*.md")]
    assert len(set(numbers)) == len(numbers)
