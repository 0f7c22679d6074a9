"""Running text with its links."""

import pytest

from assay.ingest.text.inlines import EMPTY, Inline, InlineBuffer, InlineLink, code_span, join_inlines


def links_of(inline: Inline) -> list[tuple[str, str]]:
    return [(inline.text[link.start : link.end], link.target) for link in inline.links]


@pytest.mark.parametrize(
    ("content", "span"),
    [("x", "`x`"), ("a`b", "``a`b``"), ("`a", "`` `a ``"), ("a``b`c", "```a``b`c```"), (" ", "` `")],
)
def test_inline_code_has_as_many_backticks_as_it_needs(content: str, span: str) -> None:
    assert code_span(content) == span


def test_blanks_collapse_within_and_between_pieces() -> None:
    buffer = InlineBuffer()
    for piece in ("  a \n\t b ", " c", "\u00a0\u2028d  "):
        buffer.text(piece)
    assert buffer.take().text == "a b c d"


def test_code_keeps_its_blanks() -> None:
    buffer = InlineBuffer()
    buffer.verbatim("`a  b`")
    assert buffer.take().text == "`a  b`"


def test_a_line_break_leaves_no_blanks_around_it_and_none_stands_at_the_beginning() -> None:
    buffer = InlineBuffer()
    buffer.line_break()
    buffer.text("a ")
    buffer.line_break()
    buffer.line_break()
    buffer.text(" b")
    buffer.line_break()
    assert buffer.take().text == "a\nb"


def test_a_link_covers_its_visible_text_only() -> None:
    buffer = InlineBuffer()
    buffer.text("see ")
    buffer.open_link("https://x.org")
    buffer.text(" this ")
    buffer.close_link()
    buffer.text("now")
    inline = buffer.take()
    assert inline.text == "see this now"
    assert links_of(inline) == [("this", "https://x.org")]


def test_links_without_text_or_target_are_none() -> None:
    buffer = InlineBuffer()
    for target, text in (("https://x.org", " "), (None, "a")):
        buffer.open_link(target)
        buffer.text(text)
        buffer.close_link()
    buffer.close_link()
    assert buffer.take() == Inline("a")


def test_a_link_that_is_never_closed_ends_with_its_block() -> None:
    buffer = InlineBuffer()
    buffer.open_link("https://x.org")
    buffer.text("a")
    assert links_of(buffer.take()) == [("a", "https://x.org")]
    buffer.text("b")
    assert buffer.take() == Inline("b")


def test_text_becomes_code_with_the_links_inside_it() -> None:
    buffer = InlineBuffer()
    buffer.text("a ")
    start = buffer.length
    buffer.open_link("https://x.org")
    buffer.text("Array")
    buffer.close_link()
    buffer.text("<T>")
    buffer.wrap_code(start)
    buffer.text(" b")
    inline = buffer.take()
    assert inline.text == "a `Array<T>` b"
    assert links_of(inline) == [("Array", "https://x.org")]


def test_nothing_becomes_no_code() -> None:
    buffer = InlineBuffer()
    buffer.text("a ")
    buffer.wrap_code(buffer.length)
    assert buffer.take().text == "a"


def test_taking_empties_the_buffer() -> None:
    buffer = InlineBuffer()
    buffer.text("a")
    buffer.take()
    assert buffer.is_empty
    assert buffer.take() == EMPTY


def test_joining_moves_links_and_leaves_empty_parts_away() -> None:
    part = Inline("b c", (InlineLink(2, 3, "https://x.org"),))
    inline = join_inlines([Inline("a"), EMPTY, part, part], " | ")
    assert inline.text == "a | b c | b c"
    assert links_of(inline) == [("c", "https://x.org")] * 2
