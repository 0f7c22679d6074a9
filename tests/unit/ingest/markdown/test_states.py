"""The faster lines, tokens and tables are those of markdown-it-py."""

import random

import pytest
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from assay.ingest.markdown.grammar import Dialect, parser_for
from assay.ingest.markdown.inline_rules import RULES, WIKI_LINKS
from assay.ingest.markdown.scanning import allow_scanning
from assay.ingest.markdown.states import BlockState, FastToken
from assay.model.documents import MkDocsRules

LINES = ["a", "  b", "\tc", " \t d", "", "   ", "\t", "> e", "é"]
ROWS = [
    *(
        "| a | b |",
        "a | b",
        "|---|---|",
        "| - | :-: |",
        "---|---",
        "|-|",
        "| x \\| y | z |",
        "| \\\\| y |",
        "||",
        "| |",
    ),
    *(
        "> | a | b |",
        "> |---|---|",
        "    | a | b |",
        "|:--|--:|",
        "",
        "- a",
        "# a",
        "```",
        "| a |",
        "| a | b | c |",
        "|",
    ),
]


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\n  ", "\n\t\n"])
def test_a_state_has_the_lines_of_markdown_it(end: str) -> None:
    dice = random.Random(3)
    parser = parser_for(Dialect.PLAIN)
    for length in [1] * 9 + [2, 3, 5, 8]:
        source = "\n".join(dice.choices(LINES, k=length)) + end
        own, theirs = (kind(source, parser, {}, []) for kind in (BlockState, StateBlock))
        assert vars(own) == vars(theirs), source


def test_a_token_has_the_values_of_markdown_it() -> None:
    token = Token("inline", "p", 1, level=2, block=True)
    assert FastToken("inline", "p", 1, 2, block=True).as_dict() == token.as_dict()


def test_tables_have_the_cells_of_markdown_it() -> None:
    dice = random.Random(5)
    theirs = MarkdownIt("commonmark").enable("table")
    own = parser_for(Dialect.PLAIN)
    tables = 0
    for _ in range(400):
        source = "\n".join(dice.choices(ROWS, k=dice.randrange(2, 7)))
        environment: dict[str, object] = {RULES: MkDocsRules(), WIKI_LINKS: False}
        allow_scanning(environment, source)
        found, expected = _cells(own.parse_blocks(source, environment)), _cells(theirs.parse(source))
        assert found == expected, source
        tables += bool(found)
    assert tables > 50


def _cells(tokens: list[Token]) -> list[str]:
    """The rows and cells of tables."""
    cells: list[str] = []
    in_table = False
    for token in tokens:
        in_table = token.type == "table_open" or (in_table and token.type != "table_close")
        if in_table and token.type in {"table_open", "tr_open", "inline"}:
            cells.append(f"{token.type} {token.content}")
    return cells
