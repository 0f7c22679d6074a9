"""The writer of normalized text, and the spans that it keeps."""

from assay.ingest.text.inlines import Inline, InlineLink
from assay.ingest.text.normalized import NormalizedText, NormalizedWriter
from assay.model.documents import BlockKind


def blocks_of(written: NormalizedText) -> list[tuple[str, str]]:
    return [(block.kind.value, written.text[block.start : block.end]) for block in written.blocks]


def written_by(writer: NormalizedWriter, title: str = "") -> str:
    return writer.finish(title).text


def test_blocks_stand_a_blank_line_apart() -> None:
    writer = NormalizedWriter()
    writer.heading(2, Inline("The `x` option"), "The x option", "the-x-option")
    writer.paragraph(Inline("One."))
    writer.code("a\n  b\n", "ts", "app.ts")
    writer.table([[Inline("A"), Inline("B")], [Inline("1")]])
    written = writer.finish("")
    assert written.text == (
        '## The `x` option\n\nOne.\n\n```ts title="app.ts"\na\n  b\n```\n\n| A | B |\n| --- | --- |\n| 1 |  |'
    )
    assert [block.kind for block in written.blocks] == [
        BlockKind.HEADING, BlockKind.TEXT, BlockKind.CODE, BlockKind.TABLE,
    ]  # fmt: skip
    code, table = written.blocks[2:]
    assert written.text[code.body_start : code.body_end] == "a\n  b\n"
    assert written.text[code.body_end : code.end] == "```"
    assert written.text[table.body_start : table.body_end] == "| 1 |  |"


def test_a_table_of_a_header_alone_has_an_empty_body() -> None:
    writer = NormalizedWriter()
    writer.table([[Inline("A")]])
    (table,) = writer.finish("").blocks
    assert table.body_start == table.body_end == table.end


def test_a_fence_is_longer_than_any_run_of_backticks_inside() -> None:
    writer = NormalizedWriter()
    writer.code("```\n````x\n", "md", "")
    assert written_by(writer) == "`````md\n```\n````x\n`````"


def test_a_title_without_a_language_stands_apart_from_the_fence() -> None:
    writer = NormalizedWriter()
    writer.code("x", "", "a `b`\nc")
    assert written_by(writer).split("\n")[0] == '``` title="a  b c"'


def test_blank_lines_and_trailing_blanks_in_code_stay() -> None:
    writer = NormalizedWriter()
    writer.code("a  \n\n\n\nb\n   \n", "", "")
    assert written_by(writer) == "```\na  \n\n\n\nb\n   \n```"


def test_blank_code_and_empty_paragraphs_headings_and_tables_leave_nothing() -> None:
    writer = NormalizedWriter()
    writer.code("\n \n", "js", "x")
    writer.paragraph(Inline(""))
    writer.heading(2, Inline(""), "", "x")
    writer.table([[Inline("")]])
    written = writer.finish("")
    assert (written.text, written.blocks, written.sections) == ("", (), ())


def test_tight_items_follow_each_other_and_loose_ones_stand_apart() -> None:
    for is_tight, between in ((True, "\n"), (False, "\n\n")):
        writer = NormalizedWriter()
        writer.open_list(is_tight=is_tight, number=3)
        for text in ("a", "b"):
            writer.open_item()
            writer.paragraph(Inline(text))
            writer.close_frame()
        writer.close_list()
        writer.paragraph(Inline("after"))
        written = writer.finish("")
        assert written.text == f"3. a{between}4. b\n\nafter"
        assert blocks_of(written) == [("text", "3. a"), ("text", "4. b"), ("text", "after")]


def test_what_is_nested_belongs_to_the_block_of_its_outermost_item() -> None:
    writer = NormalizedWriter()
    writer.open_list(is_tight=True)
    writer.open_item()
    writer.paragraph(Inline("a\nsecond line"))
    writer.open_list(is_tight=True, number=9)
    for text in ("b", "c"):
        writer.open_item()
        writer.paragraph(Inline(text))
        writer.close_frame()
    writer.close_list()
    writer.close_frame()
    writer.close_list()
    assert blocks_of(writer.finish("")) == [("text", "- a\n  second line\n  9. b\n  10. c")]


def test_code_in_an_item_stays_in_it_and_is_a_block_of_its_own() -> None:
    writer = NormalizedWriter()
    writer.open_list(is_tight=True, number=1)
    writer.open_item()
    writer.paragraph(Inline("a"))
    writer.code("x\n\ny", "", "")
    writer.paragraph(Inline("b"))
    writer.close_frame()
    writer.close_list()
    written = writer.finish("")
    assert written.text == "1. a\n\n   ```\n   x\n\n   y\n   ```\n\n   b"
    assert [kind for kind, _ in blocks_of(written)] == ["text", "code", "text"]


def test_an_item_that_begins_with_code_has_its_marker_on_a_line_of_its_own() -> None:
    writer = NormalizedWriter()
    writer.open_list(is_tight=True)
    writer.open_item()
    writer.code("x", "", "")
    writer.close_frame()
    writer.close_list()
    assert blocks_of(writer.finish("")) == [("text", "-"), ("code", "  ```\n  x\n  ```")]


def test_an_empty_item_leaves_nothing_but_counts() -> None:
    writer = NormalizedWriter()
    writer.open_list(is_tight=True, number=1)
    for text in ("", "b"):
        writer.open_item()
        writer.paragraph(Inline(text))
        writer.close_frame()
    writer.close_list()
    assert written_by(writer) == "2. b"


def test_every_line_of_a_quotation_has_its_mark_but_blank_ones() -> None:
    writer = NormalizedWriter()
    writer.open_quote()
    writer.paragraph(Inline("a\nb"))
    writer.code("x\n\ny", "", "")
    writer.close_frame()
    writer.paragraph(Inline("c"))
    assert written_by(writer) == "> a\n> b\n\n> ```\n> x\n>\n> y\n> ```\n\nc"


def test_a_label_stands_directly_above_the_text_it_belongs_to() -> None:
    writer = NormalizedWriter()
    writer.label(Inline("Note:"))
    writer.label(Inline("npm:"))
    writer.paragraph(Inline("Body."))
    assert blocks_of(writer.finish("")) == [("text", "Note:\nnpm:\nBody.")]


def test_a_label_stands_by_itself_above_code_lists_and_headings() -> None:
    writer = NormalizedWriter()
    writer.label(Inline("npm:"))
    writer.code("npm i", "", "")
    writer.label(Inline("Note:"))
    writer.open_list(is_tight=True)
    writer.open_item()
    writer.paragraph(Inline("a"))
    writer.close_frame()
    writer.close_list()
    assert written_by(writer) == "npm:\n\n```\nnpm i\n```\n\nNote:\n\n- a"


def test_a_label_with_nothing_under_it_is_kept_or_dropped_as_told() -> None:
    for keep, text in ((True, "Note: x\n\nafter"), (False, "after")):
        writer = NormalizedWriter()
        label = Inline("Note: x")
        writer.label(label)
        writer.close_label(label, keep=keep)
        writer.paragraph(Inline("after"))
        assert written_by(writer) == text


def test_a_definition_follows_its_term_in_one_block() -> None:
    writer = NormalizedWriter()
    writer.open_list(is_tight=True)
    for term, definitions in (("A", ["one", "two"]), ("B", ["three"])):
        writer.part()
        writer.paragraph(Inline(term))
        for definition in definitions:
            writer.open_note(": ", is_next=True)
            writer.paragraph(Inline(definition))
            writer.close_note()
    writer.close_list()
    assert blocks_of(writer.finish("")) == [("text", "A\n: one\n: two"), ("text", "B\n: three")]


def test_sections_cover_the_text_and_know_their_path_without_the_title() -> None:
    writer = NormalizedWriter()
    writer.paragraph(Inline("preamble"))
    for level, name in ((1, "Title"), (2, "A"), (4, "Deep"), (3, "B"), (1, "Other"), (2, "C")):
        writer.heading(level, Inline(name), name, name.lower())
    written = writer.finish("Title")
    assert [(section.level, section.path) for section in written.sections] == [
        (0, ()),
        (1, ()),
        (2, ("A",)),
        (4, ("A", "Deep")),
        (3, ("A", "B")),
        (1, ("Other",)),
        (2, ("Other", "C")),
    ]
    assert "".join(written.text[section.start : section.end] for section in written.sections) == written.text


def test_there_is_no_section_before_a_heading_that_comes_first() -> None:
    writer = NormalizedWriter()
    writer.heading(2, Inline("A"), "A", "a")
    assert [section.level for section in writer.finish("").sections] == [2]


def test_an_anchor_that_an_earlier_heading_has_leads_nowhere() -> None:
    writer = NormalizedWriter()
    for _ in range(2):
        writer.heading(2, Inline("A"), "A", "a")
    assert [section.anchor for section in writer.finish("").sections] == ["a", None]


def test_links_are_found_in_nested_lines_cells_and_headings() -> None:
    writer = NormalizedWriter()
    link = InlineLink(4, 8, "https://x.org")
    writer.heading(2, Inline("See this", (link,)), "See this", None)
    writer.open_quote()
    writer.paragraph(Inline("a\nb this", (link,)))
    writer.close_frame()
    writer.table([[Inline("x|"), Inline("|ab this|", (InlineLink(4, 8, "https://x.org"),))]])
    written = writer.finish("")
    assert [link.text for link in written.links] == ["this", "this", "this"]
    assert all(written.text[link.start : link.end] == "this" for link in written.links)


def test_pipes_in_cells_are_escaped_and_line_breaks_are_blanks() -> None:
    writer = NormalizedWriter()
    writer.table([[Inline("a|b\nc")]])
    assert written_by(writer).startswith("| a\\|b c |")


def test_text_that_would_read_as_a_heading_fence_or_underline_is_escaped() -> None:
    writer = NormalizedWriter()
    writer.paragraph(Inline("# a\n#b\n```js\n``` x`\n---\n--- x\n===\n~~~", (InlineLink(2, 3, "https://x.org"),)))
    written = writer.finish("")
    assert written.text == "\\# a\n#b\n\\```js\n``` x`\n\\---\n--- x\n\\===\n\\~~~"
    assert written.links[0].text == "a"


def test_lines_kept_as_written_lose_only_blank_lines_and_ends() -> None:
    writer = NormalizedWriter()
    writer.lines("$$\n\n  x_1  \n$$")
    assert written_by(writer) == "$$\n  x_1\n$$"
