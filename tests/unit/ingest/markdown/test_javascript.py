"""Where expressions and statements of MDX end, and what they show."""

import pytest

from assay.ingest.markdown.javascript import is_export, match_import, shown_text, skip_braces, skip_statement, unescaped


@pytest.mark.parametrize(
    "expression",
    [
        "{}",
        "{a}",
        "{{a: {b: 1}}}",
        "{'}'}",
        "{\"}\" + '{'}",
        "{`}${ {a: '}'} }{`}",
        "{/* } */}",
        "{a // }\n}",
        "{<p>don't stop</p>}",
        "{cond && <div>{x}</div>}",
        "{'https://x.org/}'}",
        "{f('a\\'}')}",
    ],
)
def test_an_expression_ends_at_its_own_brace(expression: str) -> None:
    source = expression + "} rest {"
    assert skip_braces(source, 0, len(source)) == len(expression)


@pytest.mark.parametrize("expression", ["{", "{a", "{`${", "{/* }", "{ {} ", "{'}'"])
def test_an_expression_that_is_never_closed_has_no_end(expression: str) -> None:
    assert skip_braces(expression, 0, len(expression)) == -1


def test_an_expression_does_not_end_beyond_the_limit() -> None:
    assert skip_braces("{abc}", 0, 4) == -1


def test_templates_nested_a_thousand_times_are_given_up() -> None:
    source = "{" + "`${" * 1000 + "}`" * 1000 + "}"
    assert skip_braces(source, 0, len(source)) == -1


@pytest.mark.parametrize(
    ("source", "statement"),
    [
        ("export const a = 1\n\ntext", "export const a = 1\n"),
        ("export const a = {\n  b: [\n\n  ],\n}\n\ntext", "export const a = {\n  b: [\n\n  ],\n}\n"),
        ("export const a =\n  1\n\ntext", "export const a =\n  1\n"),
        ("export const X = () => <p>it's {1}</p>\n\ntext", "export const X = () => <p>it's {1}</p>\n"),
        ("export const s = `\n\n`\n\ntext", "export const s = `\n\n`\n"),
        ("export const a = 1", "export const a = 1"),
    ],
)
def test_an_export_ends_at_a_blank_line_outside_its_brackets(source: str, statement: str) -> None:
    assert skip_statement(source, 0, len(source)) == (len(statement), True)


def test_an_export_that_is_never_closed_ends_at_its_first_blank_line() -> None:
    assert skip_statement("export const a = {\n\ntext\n\nmore", 0, 30) == (len("export const a = {\n"), False)


@pytest.mark.parametrize(
    ("source", "name", "path"),
    [
        ("import A from './a.mdx'", "A", "./a.mdx"),
        ('import A, {b} from "x";', "A", "x"),
        ("import {a, b} from 'x'", "", "x"),
        ("import {\n  a,\n} from 'x'", "", "x"),
        ("import * as all from 'x'", "", "x"),
        ("import 'style.css'", "", "style.css"),
        ("import A from './\\_a.md'", "A", "./\\_a.md"),
        ("import data from './a.json' with {type: 'json'}", "data", "./a.json"),
    ],
)
def test_an_import_gives_its_name_and_path(source: str, name: str, path: str) -> None:
    assert match_import(source, 0, len(source)) == (len(source), name, path)


@pytest.mark.parametrize("source", ["import the module first", "important", "import(x)", "import it, then 'quote' it"])
def test_prose_that_begins_with_import_is_none(source: str) -> None:
    assert match_import(source, 0, len(source)) is None


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("export const a", True),
        ("export default x", True),
        ("export {a}", True),
        ("export * from 'x'", True),
        ("export your data", False),
        ("exporting", False),
    ],
)
def test_only_what_looks_like_a_declaration_is_an_export(source: str, expected: bool) -> None:
    assert is_export(source, 0) is expected


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("' '", " "),
        ('"a \\"b\\""', 'a "b"'),
        ("`npm i\nnpm ${x}`", "npm i\nnpm ${x}"),
        ("300", "300"),
        ("'\\u00e9\\x41\\u{1F600}'", "éA😀"),
        ("'\\ud83d\\ude00'", "😀"),
        ("'\\ud83d'", "\ufffd"),
        ("props.title", ""),
        ("'a' + b", ""),
        ("/* comment */", ""),
    ],
)
def test_strings_and_numbers_are_shown_and_nothing_else(expression: str, text: str) -> None:
    assert shown_text(expression) == text


def test_an_escaped_underscore_is_an_underscore() -> None:
    assert unescaped("./\\_part.mdx") == "./_part.mdx"
