"""What opens a code fence, and what of its lines a reader sees."""

import pytest

from assay.ingest.markdown.fences import (
    FenceInfo,
    language_of,
    line_ranges,
    parse_info,
    selected_lines,
    snippet,
    without_common_indent,
    without_magic_comments,
)

FILES = {"a.py": "one\ntwo\nthree\n", "b.py": "x\n# --8<-- [start:part]\nshown\n# --8<-- [end:part]\ny\n"}


@pytest.mark.parametrize(
    ("info", "language", "title"),
    [
        ("", "", ""),
        ("ts", "ts", ""),
        (' ts title="src/app.ts" {1,3} showLineNumbers', "ts", "src/app.ts"),
        ("ts no-transpile", "ts", ""),
        ("tsx title='a b.tsx'", "tsx", "a b.tsx"),
        ("jsx title=bare.jsx", "jsx", "bare.jsx"),
        ("js filename=x.js", "js", "x.js"),
        ('Python hl_lines="1 3"', "Python", ""),
        ('hl_lines="4"', "", ""),
        ('{ .dockerfile .annotate hl_lines="10" }', "dockerfile", ""),
        ('{ .yaml title="a.yml" }', "yaml", "a.yml"),
        ("{1,3}", "", ""),
        ("ts{1,3}", "ts", ""),
        ("ts [vite.config.ts]", "ts", "vite.config.ts"),
        ("js [1,3]", "js", ""),
        ("c++", "c++", ""),
        ("SnackPlayer name=Hello%20World&ext=tsx", "SnackPlayer", ""),
        ('bash npm2yarn title="Terminal"', "bash", "Terminal"),
    ],
)
def test_language_and_title_are_kept_and_instructions_are_not(info: str, language: str, title: str) -> None:
    assert parse_info(info) == FenceInfo(language, title)


@pytest.mark.parametrize(
    "line",
    ["// highlight-next-line", "  # highlight-start", "/* highlight-end */", "<!-- highlight-next-line -->",
     "{/* highlight-start */}", "-- highlight-end", "// highlight-add-next-line"],
)  # fmt: skip
def test_comments_that_only_ask_to_highlight_are_left_away(line: str) -> None:
    assert without_magic_comments(f"a\n{line}\nb\n") == "a\nb\n"


@pytest.mark.parametrize("line", ["// highlight this", "x // highlight-next-line", "// eslint-disable-next-line"])
def test_other_comments_stay(line: str) -> None:
    assert without_magic_comments(f"a\n{line}\nb\n") == f"a\n{line}\nb\n"


@pytest.mark.parametrize(
    ("named", "text"),
    [
        ("a.py", "one\ntwo\nthree\n"),
        ("a.py:2", "two\n"),
        ("a.py:2:", "two\nthree\n"),
        ("a.py::2", "one\ntwo\n"),
        ("a.py:1:1,3:3", "one\nthree\n"),
        ("b.py:part", "shown\n"),
        ("b.py:none", FILES["b.py"]),
        ("missing.py:1", None),
    ],
)
def test_a_snippet_is_a_file_or_the_lines_or_section_of_it(named: str, text: str | None) -> None:
    assert snippet(named, FILES.get) == text


def test_a_section_loses_its_marks() -> None:
    assert "8<" not in (snippet("b.py:part", FILES.get) or "8<")


def test_line_ranges_are_read_leniently() -> None:
    assert line_ranges("1:3, 7,9:, :2, x, ") == [(1, 3), (7, 7), (9, None), (1, 2)]


def test_lines_are_counted_from_one_and_lines_that_are_not_there_are_left_away() -> None:
    assert selected_lines("a\nb\n", [(0, 1), (2, 9), (5, None)]) == "a\nb\n"


@pytest.mark.parametrize(("path", "language"), [("x/a.py", "python"), ("b.rs", "rust"), ("c.xyz", "xyz"), ("Make", "")])
def test_a_file_has_the_language_of_its_ending(path: str, language: str) -> None:
    assert language_of(path) == language


def test_indentation_that_all_lines_share_is_taken_away_up_to_three_blanks() -> None:
    assert without_common_indent("  a\n    b\n\n  c\n") == "a\n  b\n\nc\n"
    assert without_common_indent("     a\n") == "  a\n"
    assert without_common_indent("a\n  b\n") == "a\n  b\n"
