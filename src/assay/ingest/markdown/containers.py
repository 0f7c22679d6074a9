"""Parser rules for admonitions, tabs and inclusions of Docusaurus, Python-Markdown and pymdownx.

Containers between marks (`:::`, `///`) give an opening and a closing token; their content is parsed as if the marks
were absent. Containers with an indented body (`!!!`, `===`) nest in the parser.
"""

import re
from collections.abc import Callable
from functools import wraps

from markdown_it.rules_block import StateBlock

# Line ends are matched whole and stripped later: backtracking over blanks would take quadratic time.
_COLONS = re.compile(r"(:{3,})[ \t]*+(?:([A-Za-z][\w-]*+)(?=[\s\[{]|$)(.*))?$")
_DIRECTIVE = re.compile(r"(?:\[(?P<label>.*)\])?[ \t]*(?P<attributes>\{[^{}]*\})?$")
_TITLE_ATTRIBUTE = re.compile(r"""\btitle\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_SLASHES = re.compile(r"(/{3,})[ \t]*+(?:([A-Za-z][\w-]*+)[ \t]*+(?:\|(.*))?)?$")
_IDENTIFIER = re.compile(r":::[ \t]+([A-Za-z_][\w.:/\[\]-]*)[ \t]*$")
_ADMONITION = re.compile(
    r"""(?:!!!|\?\?\?\+?)[ \t]*([A-Za-z][\w-]*)(?:[ \t]+[\w-]+)*(?:[ \t]+(?:"(.*)"|'(.*)'))?[ \t]*$"""
)
_TAB = re.compile(r"""===[!+]*[ \t]+(?:"(.*)"|'(.*)')[ \t]*$""")
_OPTION = re.compile(r"[ \t]*+([\w-]++):(.*)")
_SNIPPET = re.compile(r"""-+8<-+(?:[ \t]+["'](.+?)["'])?[ \t]*$""")
_INCLUDE = re.compile(r"\{!>?(.+)!\}[ \t]*$")
_CODE_INCLUDE = re.compile(r"\{\*(?=[ \t]*[^ \t*])(.+)\*\}[ \t]*$")
_LINES = re.compile(r"\bln\[([\d:, ]+)\]")
_ABBREVIATION = re.compile(r"\*\[[^\]\n]+\]:")
_MARKDOWN_IN_HTML = re.compile(
    r"(?:<[A-Za-z][\w-]*+(?=[^<>]*\smarkdown(?:[\s=>]))[^<>]*>"
    r"|</(?:div|section|figure|article|details|center|p)>)[ \t]*$"
)
_INDENT = 4


def _line(state: StateBlock, line: int) -> tuple[int, int]:
    """The offsets of a line's first character and of its end."""
    return state.bMarks[line] + state.tShift[line], state.eMarks[line]


_Push = Callable[[StateBlock, int, int, re.Match[str]], None]
_Rule = Callable[[StateBlock, int, int, bool], bool]


def _line_rule(pattern: re.Pattern[str]) -> Callable[[_Push], _Rule]:
    """Make a parser rule of a function that pushes the tokens of a line that matches."""

    def make(push: _Push) -> _Rule:
        @wraps(push)
        def rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
            found = pattern.match(state.src, *_line(state, start))
            if not found or state.is_code_block(start):
                return False
            if not silent:
                push(state, start, end, found)
            return True

        return rule

    return make


@_line_rule(_COLONS)
def colon_container(state: StateBlock, start: int, end: int, found: re.Match[str]) -> None:  # noqa: ARG001
    """`:::note[Title]` or `:::note Title`, closed by as many colons or more."""
    title = _directive_title((found[3] or "").strip(" \t"))
    _push_container(state, start, found[1], found[2], title)


def _directive_title(written: str) -> str:
    directive = _DIRECTIVE.fullmatch(written)
    if not directive:
        return written
    if directive["label"] is not None:
        return str(directive["label"])
    attribute = _TITLE_ATTRIBUTE.search(directive["attributes"] or "")
    return (attribute[1] or attribute[2] or "") if attribute else ""


@_line_rule(_SLASHES)
def slash_container(state: StateBlock, start: int, end: int, found: re.Match[str]) -> None:
    """`/// note | Title`, closed by the same number of slashes; options are indented below the first line."""
    kind, title, line = found[2], found[3] or "", start + 1
    while kind and line < end and state.sCount[line] - state.blkIndent >= _INDENT:
        option = _OPTION.match(state.src, *_line(state, line))
        if not option:
            break
        if option[1] == "type":
            kind = option[2].strip(" \t").strip("\"'")
        line += 1
    _push_container(state, start, found[1], kind, title)
    state.line = line


def _push_container(state: StateBlock, start: int, marks: str, kind: str | None, title: str) -> None:
    """Push the token of an opening line or, without a kind, of a closing line."""
    token = state.push("container_open" if kind else "container_close", "", 0)
    token.markup = marks
    token.info = kind or ""
    token.content = title.strip()
    state.line = start + 1


@_line_rule(_IDENTIFIER)
def identifier(state: StateBlock, start: int, end: int, found: re.Match[str]) -> None:
    """`::: package.module` of mkdocstrings, with options indented below; only the name is kept."""
    state.line = _body_end(state, start + 1, end)
    state.push("identifier", "", 0).content = found[1]


@_line_rule(_ADMONITION)
def admonition(state: StateBlock, start: int, end: int, found: re.Match[str]) -> None:
    """`!!! note "Title"`, or `???` if collapsible, with an indented body."""
    _push_indented(state, start, end, found[1], found[2] or found[3] or "")


@_line_rule(_TAB)
def tab(state: StateBlock, start: int, end: int, found: re.Match[str]) -> None:
    """`=== "Label"` with an indented body."""
    _push_indented(state, start, end, "tab", found[1] or found[2] or "")


def _push_indented(state: StateBlock, start: int, end: int, kind: str, title: str) -> None:
    """Push a container's tokens and parse its indented body between them."""
    opening = state.push("indented_open", "", 1)
    opening.info, opening.content = kind, title.strip()
    last = _body_end(state, start + 1, end)
    outer, state.parentType = state.parentType, "root"
    last_line, state.lineMax = state.lineMax, last
    state.blkIndent += _INDENT
    state.md.block.tokenize(state, start + 1, last)
    state.blkIndent -= _INDENT
    state.parentType, state.lineMax = outer, last_line
    state.push("indented_close", "", -1)
    state.line = last


def _body_end(state: StateBlock, line: int, end: int) -> int:
    """The line after the container's indented body."""
    last = line
    while line < end and (state.isEmpty(line) or state.sCount[line] - state.blkIndent >= _INDENT):
        line += 1
        if not state.isEmpty(line - 1):
            last = line
    return last


def snippet(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """An included file: `--8<-- "file"`, `{! file !}`, and `{* file *}` for code."""
    first, line_end = _line(state, start)
    if state.is_code_block(start):
        return False
    code = _CODE_INCLUDE.match(state.src, first, line_end)
    found = code or _SNIPPET.match(state.src, first, line_end) or _INCLUDE.match(state.src, first, line_end)
    if not found:
        return False
    if silent:
        return True
    state.line = start + 1
    if code:
        path, *rest = code[1].split(maxsplit=1)
        lines = _LINES.search(rest[0]) if rest else None
        token = state.push("code_include", "", 0)
        token.content, token.info = path, lines[1] if lines else ""
    elif found[1]:
        state.push("include", "", 0).content = found[1].strip(" \t")
    else:
        _listed_files(state, start + 1, end)
    return True


def _listed_files(state: StateBlock, line: int, end: int) -> None:
    """The block form of `--8<--`, with a file on each line, up to the next `--8<--` or blank line."""
    while line < end and not state.isEmpty(line):
        written = state.src[slice(*_line(state, line))].strip()
        line += 1
        if _SNIPPET.fullmatch(written):
            break
        state.push("include", "", 0).content = written
    state.line = line


@_line_rule(_ABBREVIATION)
def abbreviation(state: StateBlock, start: int, end: int, found: re.Match[str]) -> None:  # noqa: ARG001
    """`*[HTML]: …`, which is shown only as a tooltip; omitted."""
    state.line = start + 1


@_line_rule(_MARKDOWN_IN_HTML)
def markdown_in_html(state: StateBlock, start: int, end: int, found: re.Match[str]) -> None:  # noqa: ARG001
    """A line with only a tag that has a `markdown` attribute, or that closes an element; Markdown follows."""
    state.line = start + 1
    state.push("html", "", 0).content = found[0]
