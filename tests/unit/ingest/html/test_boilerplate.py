"""Boilerplate inside the content, recognized by its position: lists of links in asides, edit links."""

import pytest
from tests.html_sources import made_by, text_of

from assay.ingest.html.page_state import MAX_INSPECTIONS

_LINKS = '<h3>On this site</h3><ul><li><a href="/a">Install it</a><li><a href="/b">Upgrade it</a></ul>'
_PROSE = "<p>A paragraph of the content that says enough about its subject to be one of several that follow.</p>" * 3
_SOURCE = "https://github.com/o/r/blob/main/docs/guide/page.md"
_EDIT = "https://github.com/o/r/edit/main/docs/a.md"


def _shows(body: str, words: str, head: str = "") -> bool:
    return words in text_of(f"<h1>T</h1>{body}" if "<h1>" not in body else body, head)


@pytest.mark.parametrize(
    "body",
    [
        f"{_PROSE}<aside>{_LINKS}</aside>",
        f"<aside>{_LINKS}</aside>{_PROSE}",
        f"{_PROSE}<aside>{_LINKS}</aside>{_PROSE}",
        f"<div>{_PROSE}</div><div><aside><p>Related: <a href=/a>Install it</a>, <a href=/b>More</a></p></aside></div>",
        f"{_PROSE}<aside><div><a href=/a><b>Install</b> it</a><a href=/b>Upgrade it</a></div></aside>",
    ],
    ids=["at the end", "at the beginning", "in the midst", "with a few words, at the end", "without a list"],
)
def test_an_aside_of_links_through_an_unknown_site_is_not_shown(body: str) -> None:
    assert not _shows(body, "Install")
    assert _shows(body, "A paragraph of the content")


@pytest.mark.parametrize(
    "body",
    [
        f"{_PROSE}<aside><p>Install it with care: it cannot be undone.</p></aside>{_PROSE}",
        f"{_PROSE}<aside><p>Install it with care.</p></aside>",
        f"{_PROSE}<aside><p>→ <a href=/a>Install it</a></p></aside>{_PROSE}",
        f"{_PROSE}<aside><p>Install it after the <a href=/a>camera</a> and the <a href=/b>gripper</a>.</p></aside>",
        f"{_PROSE}<aside><p>See <a href=/a>Install it</a>, <a href=/b>Upgrade it</a>.</p></aside>{_PROSE}",
        f"{_PROSE}<aside class='admonition note'><p><a href=/a>Install it</a> <a href=/b>More</a></p></aside>",
    ],
    ids=["prose", "prose at the end", "one link", "prose with links", "two links in the midst", "an admonition"],
)
def test_an_aside_that_says_something_is_shown(body: str) -> None:
    assert _shows(body, "Install it")


def test_an_aside_of_links_on_a_page_of_a_known_generator_is_its_authors() -> None:
    assert _shows(f"{_PROSE}<aside>{_LINKS}</aside>", "Install it", made_by("Docusaurus v3"))


@pytest.mark.parametrize(
    "body",
    [
        f'{_PROSE}<p><a href="{_EDIT}">Diese Seite bearbeiten</a></p>',
        f'<p><a href="{_EDIT}">Modifier</a></p>{_PROSE}',
        f'{_PROSE}<div><span><a href="{_SOURCE}">このページを編集</a></span></div>',
        f'{_PROSE}<div><a href="{_SOURCE}">Quelltext</a></div><div>Stand: 3. Mai 2024</div>',
        f'<a href="{_SOURCE}">Ver fuente</a><h1>T</h1>{_PROSE}',
        f'<header><h1>{"T " * 60}</h1></header><p><a href="{_SOURCE}">Ver fuente</a></p>{_PROSE}',
        f'<h1>{"T " * 60}</h1><p><a href="{_SOURCE}">Ver fuente</a></p>{_PROSE}',
        f'<div><h1>{"T " * 60}</h1></div><p><a href="{_SOURCE}">Ver fuente</a></p>{_PROSE}',
        f'{_PROSE}<p><a href="https://gitlab.com/o/r/-/edit/main/docs/a.md">Upravit</a></p>',
        f'{_PROSE}<p><a href="https://git.example.org/o/r/-/blob/main/docs/Page/index.rst">Upravit</a></p>',
        f'{_PROSE}<p><a href="https://bitbucket.org/o/r/src/main/docs/a.md?mode=edit">Upravit</a></p>',
        f'{_PROSE}<div><a href="{_EDIT}">Upravit</a></div>{_PROSE}',
    ],
)
def test_a_link_to_edit_the_page_is_told_by_its_address_in_any_language(body: str) -> None:
    shown = text_of(f"<h1>T</h1>{body}" if "<h1>" not in body else body)
    assert not any(
        word in shown for word in ("bearbeiten", "Modifier", "編集", "Quelltext", "fuente", "Upravit", "github")
    )
    assert "A paragraph of the content" in shown


@pytest.mark.parametrize(
    "body",
    [
        f'{_PROSE}<p>See <a href="{_SOURCE}">the example</a>.</p>',
        f'{_PROSE}<p><a href="{_SOURCE}">the example</a></p>{_PROSE}',
        f'{_PROSE}<ul><li><a href="{_SOURCE}">the example</a></ul>',
        f'{_PROSE}<p>See <span><a href="{_EDIT}">the example</a></span></p>',
        f'{_PROSE}<p><a href="https://github.com/o/r/blob/main/docs/other.md">the example</a></p>',
        f'{_PROSE}<p><a href="https://github.com/o/r/blob/main/src/page.py">the example</a></p>',
        f'{_PROSE}<p><a href="https://docs.example.org/edit/a.md">the example</a></p>',
        f'{_PROSE}<p><a href="{_SOURCE}"><code>the example</code></a></p>',
        f'{_PROSE}<p><a href="{_SOURCE}">the example {"of something long " * 5}</a></p>',
    ],
)
def test_a_link_to_a_source_that_the_text_speaks_of_is_shown(body: str) -> None:
    assert _shows(body, "the example")


def test_where_a_class_tells_what_leads_to_the_source_a_link_to_it_is_its_authors() -> None:
    assert _shows(f'{_PROSE}<p><a href="{_SOURCE}">the example</a></p>', "the example", made_by("Docusaurus v3"))
    assert not _shows(f'{_PROSE}<p><a href="{_EDIT}">Upravit</a></p>', "Upravit", made_by("Docusaurus v3"))


def test_only_so_many_are_looked_at_so_that_a_page_of_nothing_else_takes_linear_time() -> None:
    shown = text_of(_PROSE + f"<aside>{_LINKS}</aside>" * (MAX_INSPECTIONS + 3))
    assert shown.count("Install it") == 3
