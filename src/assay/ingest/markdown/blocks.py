"""Block rules of every dialect: paragraphs, headings, formulas, and too deep nesting."""

import re

from markdown_it.rules_block import StateBlock, html_block

from assay.ingest.markdown.tables import may_be_table, table


def name_set(names: str) -> frozenset[str]:
    """Names that are separated by blanks, as a set."""
    return frozenset(names.split())


_INTERRUPTERS = frozenset("#>`~<{*-+_:/!?=$[ie0123456789")
_UNDERLINE = re.compile(r"(=+|-+)[ \t]*$")
_HEADING = re.compile(r"(#{1,6})(?!#)(.*)")
_UNCLOSED_FORMULA = "unclosed formula"
_INDENTED_CODE = 4
_CODE_SPAN = re.compile(r"(?<![`\\])(`+)(?!`)[^\n]{1,2000}?(?<!`)\1(?!`)")
_TAG_NAME = re.compile(r"</?([A-Za-z][\w-]*)")
_BLOCK_ELEMENTS = name_set(
    "address article aside blockquote details div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header "
    "hgroup hr main menu nav ol p pre section table ul canvas colgroup dd body dt group html iframe li legend math map "
    "noscript output object option progress script style summary tbody td textarea tfoot th thead tr video center "
    "head link meta base title svg template"
)
_BARE_PIPE = re.compile(r"(?<!\\)\|")
_PIPE = "\0"
"""Replaces a pipe in a code span; no page has this character."""


def paragraph(state: StateBlock, start: int, end: int, silent: bool = False) -> bool:  # noqa: ARG001  (a rule's signature)
    """A paragraph, or an underlined heading."""
    source, firsts, shifts = state.src, state.bMarks, state.tShift
    indents, ends, last_line = state.sCount, state.eMarks, state.lineMax
    has_code = bool(state._code_enabled)  # noqa: SLF001  (the parser has no public name for it)
    outer, state.parentType = state.parentType, "paragraph"
    line, level = start + 1, 0
    while line < last_line:
        first = firsts[line] + shifts[line]
        if first >= ends[line]:
            break
        indent = indents[line] - state.blkIndent
        if (has_code and indent >= _INDENTED_CODE) or indents[line] < 0:
            line += 1
            continue
        character = source[first]
        if character in "=-" and indent >= 0 and line < end and _UNDERLINE.match(source, first, ends[line]):
            level = 1 if character == "=" else 2
            break
        if character in _INTERRUPTERS or may_be_table(state, line):
            rules = state.md.block.ending("paragraph", character)  # type: ignore[attr-defined]  # of the parser in `grammar`
            if any(rule(state, line, last_line, True) for rule in rules):
                break
        line += 1
    content = state.getLines(start, line, state.blkIndent, False).strip(" \t\n")
    state.line = line + 1 if level else line
    state.parentType = outer
    _push(state, content, level)
    return True


def python_markdown_html(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A block of HTML as in Python-Markdown: only elements that it knows as blocks begin one."""
    named = _TAG_NAME.match(state.src, state.bMarks[start] + state.tShift[start], state.eMarks[start])
    if named and named[1].lower() not in _BLOCK_ELEMENTS:
        return False
    return bool(html_block(state, start, end, silent))


def python_markdown_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A table as in Python-Markdown: a pipe in a code span does not end the cell."""
    if not may_be_table(state, start):
        return False
    last = start
    while last < end and not state.isEmpty(last):
        last += 1
    first, after = state.bMarks[start], state.eMarks[last - 1]
    source = state.src
    rows = source[first:after]
    masked = _CODE_SPAN.sub(lambda span: _BARE_PIPE.sub(_PIPE, span[0]), rows) if "`" in rows else rows
    if masked == rows:
        return table(state, start, end, silent)
    before = len(state.tokens)
    state.src = source[:first] + masked + source[after:]
    try:
        found = table(state, start, end, silent)
    finally:
        state.src = source
    for token in state.tokens[before:]:
        token.content = token.content.replace(_PIPE, "|")
    return found


def _push(state: StateBlock, content: str, level: int) -> None:
    name, tag = ("heading", f"h{level}") if level else ("paragraph", "p")
    state.push(f"{name}_open", tag, 1)
    token = state.push("inline", "", 0)
    token.content = content
    state.push(f"{name}_close", tag, -1)


def python_markdown_heading(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: ARG001
    """A heading as in Python-Markdown: the blank after `#` may be missing."""
    if state.is_code_block(start):
        return False
    found = _HEADING.match(state.src, state.bMarks[start] + state.tShift[start], state.eMarks[start])
    if not found or _ends_with_escape(found[2]):
        return False
    if not silent:
        state.line = start + 1
        _push(state, _without_closing_marks(found[2]), len(found[1]))
    return True


def _without_closing_marks(written: str) -> str:
    """A heading's text without the `#` at its end; an escaped one stays."""
    kept = written.rstrip(" \t").rstrip("#")
    return (kept + "#" if len(kept) < len(written) and _ends_with_escape(kept) else kept).strip(" \t")


def _ends_with_escape(written: str) -> bool:
    """Whether the last backslash escapes what follows."""
    return (len(written) - len(written.rstrip("\\"))) % 2 == 1


def formula(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A formula between lines of `$$`, unchanged."""
    first = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith("$$", first) or state.is_code_block(start):
        return False
    if state.env.get(_UNCLOSED_FORMULA, -1) >= end:
        return False
    line, opening = start, first + 2
    while line < end and (line == start or state.sCount[line] >= state.blkIndent or state.isEmpty(line)):
        written = state.src[opening : state.eMarks[line]].rstrip(" \t")
        if written.endswith("$$"):
            if not silent:
                state.line = line + 1
                token = state.push("formula_block", "", 0)
                token.content = state.getLines(start, line + 1, state.sCount[start], False)
            return True
        line += 1
        opening = state.bMarks[line] + state.tShift[line]
    state.env[_UNCLOSED_FORMULA] = end
    return False


def flatten_too_deep(state: StateBlock, start: int, end: int) -> None:
    """Read the rest of a too deep container as plain paragraphs."""
    line = start
    while line < end:
        first = line
        while line < end and not state.isEmpty(line) and state.sCount[line] >= state.blkIndent:
            line += 1
        if line > first:
            _push(state, state.getLines(first, line, state.blkIndent, False).strip(" \t\n"), 0)
        if line < end and not state.isEmpty(line):
            break
        line += 1
    state.line = min(line, end)
