"""Snippets stand wherever a line can, and their text is that of pymdownx.snippets."""

import pytest
from tests.pages import mkdocs

from assay.ingest.markdown.snippets import with_snippets

FILES = {
    "a.py": "one\ntwo\nthree\n",
    "b.md": 'B {\n\n--8<-- "a.py:2"\n',
    "rows.md": "| c | d |\n| e | f |\n",
    "parts.py": "x\n    # --8<-- [start:p]\n    if y:\n        z\n    # --8<-- [end:p]\n",
    "page.md": "---\ntitle: P\n---\nText.\n",
}


def expanded(source: str, **options: bool) -> str:
    return with_snippets(source, FILES.get, **options)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('def f():\n    --8<-- "a.py:2:3"\nend', "def f():\n    two\n    three\nend"),
        ("{!> a.py !}\nend", "one\ntwo\nthree\nend"),
        ('--8<-- "missing.py"\nend', "end"),
        ('--8<-- "b.md"', "B {\n\ntwo"),
        ("--8<--\na.py:1\n\n; a.py\na.py:3\n--8<--", "one\n\nthree"),
        ('a --8<-- "a.py"', 'a --8<-- "a.py"'),
        (';--8<-- "a.py"', '--8<-- "a.py"'),
        ('--8<-- "page.md"', "Text."),
        ("a\n# --8<-- [start:x]\nb\n# --8<-- [end:x]", "a\nb"),
        ("# ;--8<-- [start:x]", "# ;--8<-- [start:x]"),
        ('--8<-- "parts.py"', "x\n    if y:\n        z"),
        ('--8<-- "parts.py:p"', "    if y:\n        z"),
    ],
)
def test_a_line_is_replaced_by_the_file_that_it_names(source: str, text: str) -> None:
    assert expanded(source) == text


def test_a_part_may_lose_its_indentation() -> None:
    assert expanded('--8<-- "parts.py:p"', dedent=True) == "if y:\n    z"
    assert expanded('--8<-- "parts.py"', dedent=True) == "x\n    if y:\n        z"


def test_a_file_that_includes_itself_ends() -> None:
    assert with_snippets('--8<-- "x"', {"x": 'a\n--8<-- "x"\n--8<-- "x"'}.get).count("a") <= 500


def test_snippets_in_lists_tables_admonitions_and_code_are_read_there() -> None:
    source = (
        '- item\n\n    --8<-- "page.md"\n\n| a | b |\n|---|---|\n--8<-- "rows.md"\n\n!!! note\n    --8<-- "page.md"\n\n'
        '```py\n--8<-- "a.py:1"\n```'
    )
    assert mkdocs(source, includes=FILES) == (
        "- item\n\n  Text.\n\n| a | b |\n| --- | --- |\n| c | d |\n| e | f |\n\nNote:\nText.\n\n```py\none\n```"
    )
