"""Reading tags of HTML and JSX."""

import pytest

from assay.ingest.markdown.tags import Role, Tag, TagKind, html_pieces, is_void, parse_tag, role_of


def parsed(source: str) -> Tag | None:
    found = parse_tag(source, 0, len(source))
    assert found is None or found[1] == len(source)
    return found[0] if found else None


@pytest.mark.parametrize(
    ("source", "tag"),
    [
        ("<div>", Tag("div", TagKind.OPEN)),
        ("</div>", Tag("div", TagKind.CLOSE)),
        ("<br/>", Tag("br", TagKind.VOID)),
        ("<Foo.Bar />", Tag("Foo.Bar", TagKind.VOID)),
        ("<>", Tag("", TagKind.OPEN)),
        ("</>", Tag("", TagKind.CLOSE)),
        ("<a href=\"x?a=1&amp;b=2\" title='t'>", Tag("a", TagKind.OPEN, {"href": "x?a=1&b=2", "title": "t"})),
        ("<a href=x target=_blank>", Tag("a", TagKind.OPEN, {"href": "x", "target": "_blank"})),
        ("<Tabs queryString>", Tag("Tabs", TagKind.OPEN, {"queryString": ""})),
        ("<A b={{c: '>'}} d=\"1\"\n  {...rest}\n/>", Tag("A", TagKind.VOID, {"b": "{{c: '>'}}", "d": "1"})),
        ("<A b={`}>`}>", Tag("A", TagKind.OPEN, {"b": "{`}>`}"})),
    ],
)
def test_a_tag_is_read_with_its_attributes(source: str, tag: Tag) -> None:
    assert parsed(source) == tag


@pytest.mark.parametrize(
    "source", ["< div>", "<1>", "<", "<a", '<a b="', "<a b={", "<a <b>", "a < b > c", "<https://x>"]
)
def test_what_is_no_tag_gives_none(source: str) -> None:
    assert parse_tag(source, 0, len(source)) is None


@pytest.mark.parametrize(("value", "text"), [("x", "x"), ("{'x'}", "x"), ("{`x`}", "x"), ("{x}", ""), ("", "")])
def test_an_attribute_has_a_text_when_it_is_a_string(value: str, text: str) -> None:
    assert Tag("A", TagKind.OPEN, {"title": value}).text("label", "title") == text


def test_raw_html_comes_in_pieces_without_comments_and_declarations() -> None:
    source = "<!DOCTYPE html>a &amp; b<!-- <b> --><i>c</i> 1 < 2 <?x?>d"
    pieces = [
        piece if isinstance(piece, str) else f"[{piece.kind.value} {piece.name}]" for piece in html_pieces(source)
    ]
    assert "".join(pieces) == "a & b[open i]c[close i] 1 < 2 d"


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("div", Role.BLOCK),
        ("DIV", Role.BLOCK),
        ("span", Role.INLINE),
        ("my-icon", Role.INLINE),
        ("", Role.INLINE),
        ("Details", Role.COMPONENT),
        ("TabItem", Role.TAB),
        ("Table.Row", Role.COMPONENT),
        ("script", Role.HIDDEN),
    ],
)
def test_each_element_has_a_role(name: str, role: Role) -> None:
    assert role_of(Tag(name, TagKind.OPEN)) is role


def test_elements_without_content_stand_alone_also_without_a_slash() -> None:
    assert is_void(Tag("br", TagKind.OPEN))
    assert is_void(Tag("Foo", TagKind.VOID))
    assert not is_void(Tag("br", TagKind.CLOSE))
    assert not is_void(Tag("p", TagKind.OPEN))
