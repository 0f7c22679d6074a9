from dataclasses import replace

import pytest
from tests.documents import Part, code, document_of, heading, table, text

from assay.ingest.chunking.units import GLUED, Unit, cut_unit, units_of
from assay.model.documents import Block, BlockKind, Document


def cut(part: Part, limit: int) -> list[str]:
    document = document_of(part)
    return [shown(document, unit) for unit in cut_unit(document.text, units_of(document)[0], limit)]


def shown(document: Document, unit: Unit) -> str:
    return unit.before + document.text[unit.start : unit.end] + unit.after


def borders(*parts: Part) -> list[float]:
    return [unit.border for unit in units_of(document_of(*parts))]


def test_each_block_is_a_unit_without_the_blanks_around_it() -> None:
    document = document_of(heading(1, "a"), text("  some text"), code("x", indent="  "))
    assert [shown(document, unit) for unit in units_of(document)] == ["# a", "some text", "  ```\n  x\n  ```"]


def test_visible_text_between_blocks_is_a_unit_too() -> None:
    document = document_of(text("one"), text("two"), text("three"))
    document = replace(document, blocks=(document.blocks[1],))
    assert [shown(document, unit) for unit in units_of(document)] == ["one", "two", "three"]


def test_blank_blocks_give_no_unit() -> None:
    document = replace(document_of(text("one")), text="one\n\n   ")
    document = replace(document, blocks=(*document.blocks, Block(BlockKind.TEXT, 5, 8, 5, 8)))
    assert len(units_of(document)) == 1


def test_the_border_after_a_heading_is_the_costliest() -> None:
    assert borders(text("a"), heading(1, "b"), text("c"), text("d")) == [0.0, 0.0, GLUED, pytest.approx(0.1)]


def test_the_border_after_a_sentence_that_announces_something_is_costly() -> None:
    plain, announced, label = (
        borders(text("x" * 300), code("y"))[1],
        borders(text("x" * 300 + ":"), code("y"))[1],
        borders(text("npm"), code("y"))[1],
    )
    assert plain < label < announced < GLUED


def test_a_code_block_is_cut_at_lines_with_its_fence_said_again() -> None:
    parts = cut(code("one()\ntwo()\nthree()\nfour()", 'js title="a.js"'), 60)
    assert parts == [
        '```js title="a.js"\none()\n```',
        '```js title="a.js"\ntwo()\n```',
        '```js title="a.js"\nthree()\n```',
        '```js title="a.js"\nfour()\n```',
    ]


def test_a_fence_of_other_marks_is_said_again_as_it_is() -> None:
    assert cut(code("```\ninner\n```\nmore", "md", "~~~~"), 40)[1] == "~~~~md\ninner\n~~~~"


def test_an_indented_fence_keeps_its_indentation() -> None:
    parts = cut(code("one()\ntwo()", "js", indent="    "), 50)
    assert parts == ["    ```js\n    one()\n    ```", "    ```js\n    two()\n    ```"]


def test_a_quoted_fence_is_quoted_again() -> None:
    quoted = Part(BlockKind.CODE, "> ```js\n> one()\n> two()\n> ```", 1, 1)
    assert cut(quoted, 40) == ["> ```js\n> one()\n> ```", "> ```js\n> two()\n> ```"]


def test_a_fence_that_the_page_leaves_open_is_closed() -> None:
    left_open = Part(BlockKind.CODE, "```js\none()\ntwo()", 1, 0)
    document = document_of(left_open)
    assert shown(document, units_of(document)[0]) == "```js\none()\ntwo()\n```"
    assert cut(left_open, 40) == ["```js\none()\n```", "```js\ntwo()\n```"]


def test_a_fence_with_a_title_too_long_to_repeat_is_said_again_without_it() -> None:
    parts = cut(code("\n".join(["a line of code"] * 20), 'ts title="' + "long/" * 20 + 'a.ts"'), 200)
    assert all(part.startswith("```ts\na line") for part in parts[1:])
    assert all(len(part) <= 200 for part in parts)


def test_code_without_fence_is_cut_without_one() -> None:
    assert cut(Part(BlockKind.CODE, "    one()\n    two()"), 12) == ["    one()", "    two()"]


def test_a_line_of_code_over_the_limit_is_cut_after_brackets_and_keeps_its_fence() -> None:
    parts = cut(code("call(argument);" * 40, "js"), 400)
    assert all(part.startswith("```js\n") and part.endswith("\n```") and len(part) <= 400 for part in parts)
    assert all(part.removesuffix("\n```").endswith((")", ";", "(")) for part in parts)


def test_lines_of_code_are_cheapest_to_part_at_the_outermost_level_after_a_blank_line() -> None:
    body = "def a():\n    one()\n\ndef b():\n    call(\n        x,\n    )\n    two()"
    document = document_of(code(body))
    costs = {
        document.text[unit.start : unit.end].split("\n")[0]: unit.border
        for unit in cut_unit(document.text, units_of(document)[0], 60)[1:]
    }
    assert min(costs, key=lambda line: costs[line]) == "def b():"
    assert max(costs, key=lambda line: costs[line]) == "    )"


def test_a_table_is_cut_at_rows_with_its_header_said_again() -> None:
    parts = cut(table(["name", "type"], [["a", "int"], ["b", "str"], ["c", "set"]]), 60)
    head = "| name | type |\n| --- | --- |\n"
    assert parts == [head + "| a | int |", head + "| b | str |", head + "| c | set |"]


def test_a_table_whose_header_is_too_long_to_repeat_is_cut_without_it() -> None:
    parts = cut(table(["name " * 20], [["a"], ["b"]]), 120)
    assert "".join(parts).count("name") == 20
    assert all(len(part) <= 120 for part in parts)


def test_a_row_over_the_limit_is_cut_within() -> None:
    parts = cut(table(["name"], [["word " * 60]]), 100)
    assert all(part.startswith("| name |\n| --- |\n") and len(part) <= 100 for part in parts)


def test_a_list_is_cut_at_items_and_sooner_at_outer_than_at_inner_ones() -> None:
    document = document_of(text("- a " + "x" * 20 + "\n  - b " + "x" * 20 + "\n- c " + "x" * 20))
    units = cut_unit(document.text, units_of(document)[0], 40)
    assert [shown(document, unit)[:3] for unit in units] == ["- a", "- b", "- c"]
    assert units[2].border < units[1].border


def test_hard_wrapped_text_without_sentences_is_cut_at_lines() -> None:
    assert cut(text("\n".join(["one two three four"] * 4)), 40) == ["one two three four"] * 4


def test_a_part_that_is_cut_again_still_repeats_its_fence() -> None:
    document = document_of(code("\n".join(f"line_{number}()" for number in range(40)), "js"))
    first = cut_unit(document.text, units_of(document)[0], 200)[3]
    for unit in cut_unit(document.text, first, 20):
        assert shown(document, unit).startswith("```js\n")
        assert shown(document, unit).endswith("\n```")
