"""Titles of admonitions that a generator wrote in the page's language, because the author gave none."""

import pytest
from tests.html_sources import read_whole

from assay.ingest.html.default_titles import is_lowercase_word

_DOCUSAURUS = (
    '<div class="theme-admonition theme-admonition-{kind} alert"><div class="admonitionHeading_x">'
    "<svg></svg>{title}</div><div><p>x</p></div></div>"
)
_SPHINX = '<div class="admonition {kind}"><p class="admonition-title">{title}</p><p>x</p></div>'
_STARLIGHT = (
    '<aside class="starlight-aside starlight-aside--{kind}"><p class="starlight-aside__title">{title}</p>'
    "<div><p>x</p></div></aside>"
)
_VITEPRESS = '<div class="{kind} custom-block"><p class="custom-block-title">{title}</p><p>x</p></div>'


def _label(markup: str, kind: str, title: str, language: str, generator: str = "") -> str:
    body = markup.format(kind=kind, title=title)
    head = f'<meta name="generator" content="{generator}">'
    content = f'<!doctype html><html lang="{language}"><head>{head}</head><body><main>{body}</main></body></html>'
    return read_whole(content).text.partition("\n")[0]


@pytest.mark.parametrize(
    ("markup", "kind", "title", "language", "label"),
    [
        (_DOCUSAURUS, "note", "remarque", "fr", "Note:"),
        (_DOCUSAURUS, "info", "к сведению", "ru", "Info:"),
        (_DOCUSAURUS, "warning", "注意", "zh-Hans", "Warning:"),
        (_DOCUSAURUS, "tip", "ヒント", "ja-JP", "Tip:"),
        (_SPHINX, "note", "Bemerkung", "de", "Note:"),
        (_SPHINX, "seealso", "Ver también", "es_ES", "See also:"),
        (_SPHINX, "warning", "Avvertimento", "it", "Warning:"),
        (_SPHINX, "important", "중요", "ko", "Important:"),
        (_STARLIGHT, "caution", "Cuidado", "pt-BR", "Caution:"),
        (_STARLIGHT, "danger", "Опасно", "ru", "Danger:"),
        (_VITEPRESS, "tip", "提示", "zh-CN", "Tip:"),
    ],
)
def test_the_word_of_the_theme_for_a_kind_is_no_title(
    markup: str, kind: str, title: str, language: str, label: str
) -> None:
    assert _label(markup, kind, title, language) == label


@pytest.mark.parametrize(
    ("markup", "kind", "title", "language", "label"),
    [
        (_SPHINX, "note", "Hinweis zur Sicherheit", "de", "Note: Hinweis zur Sicherheit"),
        (_SPHINX, "note", "Warnung", "de", "Note: Warnung"),  # another kind's word says something
        (_SPHINX, "caution", "Attention", "en", "Caution: Attention"),  # French, on an English page
        (_SPHINX, "note", "Uwaga", "pl", "Note: Uwaga"),  # a language that is not known
        (_DOCUSAURUS, "note", "認証について", "ja", "Note: 認証について"),
        (_DOCUSAURUS, "tip", "Docker", "de", "Tip: Docker"),
    ],
)
def test_every_other_title_stays(markup: str, kind: str, title: str, language: str, label: str) -> None:
    assert _label(markup, kind, title, language, "Docusaurus v3.10") == label


def test_of_docusaurus_one_small_word_is_the_themes_in_every_language() -> None:
    assert _label(_DOCUSAURUS, "note", "uwaga", "pl", "Docusaurus v3.10") == "Note:"
    assert _label(_DOCUSAURUS, "note", "uwaga", "en", "Docusaurus v3.10") == "Note: uwaga"


@pytest.mark.parametrize(
    ("title", "is_small"), [("uwaga", True), ("Uwaga", False), ("na razie", False), ("注記", False)]
)
def test_a_small_word_has_letters_that_could_be_capital(title: str, is_small: bool) -> None:
    assert is_lowercase_word(title) is is_small
