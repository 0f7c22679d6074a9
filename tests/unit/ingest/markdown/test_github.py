"""Pages that no generator serves are read as GitHub shows them."""

import pytest
from tests.html_sources import text_of as html_text_of
from tests.pages import mdx, mkdocs, read, text_of

LINKS = {
    "a/Other note.md": "https://docs.example.org/a/Other%20note",
    "setup.md": "https://docs.example.org/setup",
    "b/Setup.md": "https://docs.example.org/b/Setup",
}


@pytest.mark.parametrize(
    ("source", "text", "targets"),
    [
        ("[[Setup]]", "Setup", ["/setup"]),
        ("[[Other note|the other]]", "the other", ["/a/Other%20note"]),
        ("[[other-note]]", "other-note", ["/a/Other%20note"]),
        ("[[b/Setup#Install it]]", "b/Setup > Install it", ["/b/Setup#install-it"]),
        ("[[#Local]]", "Local", ["/guide/page#local"]),
        ("[[The text|Setup]]", "The text", ["/setup"]),
        ("[[Missing note]]", "Missing note", []),
        ("![[Setup]]", "Setup", ["/setup"]),
        ("a ![[diagram.png]] b", "a b", []),
        ("![[photo.jpg|300]]", "", []),
        ("[[Setup]](x.md)", "[Setup]", ["/guide/x"]),
        ("`[[Setup]]`", "`[[Setup]]`", []),
        ('[[1, 2], [3]] [["a"]] [[ -f x ]]', '[[1, 2], [3]] [["a"]] [[ -f x ]]', []),
    ],
)
def test_wiki_links_are_read_by_their_text(source: str, text: str, targets: list[str]) -> None:
    document = read(source, links=LINKS)
    assert document.text == text
    assert [link.target.removeprefix("https://docs.example.org") for link in document.links] == targets


def test_wiki_links_are_text_where_a_generator_serves_the_page() -> None:
    assert mkdocs("[[Setup]]") == mdx("[[Setup]]") == "[[Setup]]"


@pytest.mark.parametrize("source", ["[[toc]]", "[[_TOC_]]"])
def test_a_mark_of_a_table_of_contents_is_no_link(source: str) -> None:
    assert text_of(source) == ""


def test_names_of_emoji_are_characters_and_their_names_are_in_the_anchors() -> None:
    document = read("## :rocket: Start :+1:\n\n:tada: a:b:c 10:30:00 :unknown: `:tada:`")
    assert document.text == "## 🚀 Start 👍\n\n🎉 a🅱️c 10:30:00 :unknown: `:tada:`"
    assert [section.anchor for section in document.sections] == ["rocket-start-1"]


def test_headings_in_html_have_anchors_and_count() -> None:
    source = '<h1 align="center">Pro <code>x</code></h1>\n\n<h2 id="own">Own</h2>\n\n## Pro x\n'
    assert [section.anchor for section in read(source).sections] == ["pro-x", "own", "pro-x-1"]
    assert [section.anchor for section in read("<h2>A</h2>\n", "mkdocs").sections] == [None]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("- [ ] todo\n- [x] done", "- [ ] todo\n- [x] done"),
        ("> [!TIP]\n> A tip.", "Tip:\nA tip."),
        ("> [!WARNING]\n> A.\n>\n> B.", "Warning:\nA.\n\nB."),
        ("A[^1].\n\n[^1]: Note.", "A[^1].\n\n[^1]: Note."),
        ("<details><summary>More</summary>\n\nInside.\n\n</details>", "More\nInside."),
    ],
)
def test_the_rest_of_githubs_markdown(source: str, text: str) -> None:
    assert text_of(source) == text


HEAD = "<thead><tr><th rowspan=2>A</th><th colspan=2>B</th></tr><tr><th>C</th><th>D</th></tr></thead>"


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        (f"{HEAD}<tr><td>1</td><td>2</td><td>3</td></tr>", ["| A | B |  |", "|  | C | D |", "| 1 | 2 | 3 |"]),
        (
            "<tr><td rowspan='2'>1</td><td>2</td></tr><tr><td>3</td></tr><tr><td colspan=2>4</td></tr>",
            ["| 1 | 2 |", "|  | 3 |", "| 4 |  |"],
        ),
        (
            "<tr><td>1</td><td rowspan=2 colspan=2>2</td><td>3</td></tr><tr><td>4</td><td>5</td></tr>",
            ["| 1 | 2 |  | 3 |", "| 4 |  |  | 5 |"],
        ),
        ("<tr><td>1</td><td rowspan=3>2</td></tr><tr><td>3</td></tr>", ["| 1 | 2 |", "| 3 |  |"]),
        (
            "<thead><tr><th rowspan=9>A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody>",
            ["| A | B |", "| 1 | 2 |"],
        ),
        ("<tr><td rowspan=2>1<td>2<tr><td>3", ["| 1 | 2 |", "|  | 3 |"]),
        ("<tr><td rowspan=0>1</td><td colspan=x>2</td></tr>", ["| 1 | 2 |"]),
    ],
)
@pytest.mark.parametrize("reader", ["markdown", "html"])
def test_cells_that_span_rows_and_columns_are_laid_out_as_in_a_browser(
    rows: str, lines: list[str], reader: str
) -> None:
    table = f"<table>{rows}</table>"
    text = text_of(table) if reader == "markdown" else html_text_of(table)
    assert [line for line in text.split("\n") if "---" not in line] == lines


def test_spans_may_be_numbers_of_jsx() -> None:
    table = "<table><tr><td rowSpan={2}>1</td><td colSpan={'2'}>2</td></tr><tr><td>3</td><td>4</td></tr></table>"
    assert mdx(table) == "| 1 | 2 |  |\n| --- | --- | --- |\n|  | 3 | 4 |"
