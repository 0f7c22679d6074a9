"""A NUL cannot be stored in Postgres; CommonMark (section 2.3) puts U+FFFD in its place."""

from collections.abc import Mapping

import pytest
from tests.pages import read

PLACES: Mapping[str, tuple[str, dict[str, object]]] = {
    "text": ("a\0b", {}),
    "a heading": ("# a\0b", {}),
    "an anchor": ("# Wheels {#a\0b}", {}),
    "code": ("```\na\0b\n```", {}),
    "a fence's title": ('```py title="a\0b"\nx\n```', {}),
    "code in a line": ("`a\0b`", {}),
    "a table": ("| a\0b |\n|---|\n| c |", {}),
    "a link": ("[a\0b](c\0d.md)", {}),
    "an entity": ("a&#0;b", {}),
    "HTML": ("<p title='a\0b'>a\0b</p>", {}),
    "a string of MDX": ("{'a\\0b'}", {}),
    "a string of MDX in hexadecimal": ("{'a\\x00b \\u0000 \\u{0}'}", {}),
    "an attribute of MDX": ("<CodeBlock title={'a\\0b'}>{'a\\0b'}</CodeBlock>", {}),
    "an imported file": ("import A from './a.md'\n\n<A/>", {"includes": {"./a.md": "a\0b"}}),
    "front matter's title": ("x", {"front_matter": {"title": "a\0b"}}),
    "the source's title": ("x", {"title": "a\0b"}),
    "tags": ("x", {"tags": ("a\0b",)}),
}


@pytest.mark.parametrize("generator", ["docusaurus", "mkdocs", None])
@pytest.mark.parametrize("place", PLACES)
def test_no_nul_comes_through(place: str, generator: str | None) -> None:
    content, fields = PLACES[place]
    document = read(content, generator, **fields)
    parts = [document.text, document.info.title, *document.info.tags]
    parts += [part for section in document.sections for part in (section.heading, section.anchor or "", *section.path)]
    parts += [part for link in document.links for part in (link.text, link.target)]
    assert [part for part in parts if "\0" in part] == []


@pytest.mark.parametrize(
    "place", ["text", "a heading", "code", "a table", "HTML", "a string of MDX", "an imported file"]
)
def test_the_replacement_character_stands_where_a_nul_stood(place: str) -> None:
    content, fields = PLACES[place]
    assert "a\ufffdb" in read(content, "docusaurus", **fields).text


def test_a_title_and_tags_keep_the_rest_of_their_text() -> None:
    info = read("x", front_matter={"title": "a\0b"}, tags=("c\0d", "e")).info
    assert (info.title, info.tags) == ("a\ufffdb", ("c\ufffdd", "e"))
