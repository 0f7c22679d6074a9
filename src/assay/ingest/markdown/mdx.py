"""Parser rules for MDX as in Docusaurus: imports, exports, JSX tags, expressions and comments.

Tags are separate tokens and do not nest here: the text between two of them is ordinary Markdown, however it is
indented, and the renderer matches opening and closing tags.
"""

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from assay.ingest.markdown.javascript import is_export, match_import, skip_statement
from assay.ingest.markdown.scanning import charge, comment_end, expression_end, tag_at

IMPORTS = "imports"
"""Key in the parser's environment: path of each default import by its name."""

_MAX_TAG_LINES = 500  # lines
_UNWRAPPED = re.compile(r"(`{3,}|~{3,})[ \t]*mdx-code-block\b")


def esm(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Import and export statements at the start of a line; imports are recorded."""
    first = state.bMarks[start]
    if state.level or state.blkIndent or state.tShift[start]:
        return False
    limit = state.eMarks[end - 1]
    if state.src.startswith("import", first):
        after = _imports(state, first, limit, silent)
    elif not silent and is_export(state.src, first):
        after = _export(state, first, limit)
    else:
        return False
    if after < 0:
        return False
    if not silent:
        state.line = start + max(
            1, state.src.count("\n", first, after) + (after == limit or state.src[after - 1] != "\n")
        )
    return True


def _export(state: StateBlock, position: int, limit: int) -> int:
    """The end of an export; once the budget is used up, an unclosed one ends with its line."""
    if not charge(state.env, 0):
        return state.src.find("\n", position, limit)
    after, is_closed = skip_statement(state.src, position, limit)
    if not is_closed:
        charge(state.env, limit - position)
    return after


def _imports(state: StateBlock, position: int, limit: int, silent: bool) -> int:
    """Read the imports of a line. Return their end, or -1 when the line is not an import."""
    source = state.src
    after = -1
    while found := match_import(source, position, limit):
        after, name, path = found
        if not silent and name:
            state.env.setdefault(IMPORTS, {})[name] = path
        position = after
        while position < limit and source[position] in " \t;":
            position += 1
    if after >= 0 and position < limit and source[position] != "\n" and not source.startswith("//", position):
        return -1
    return after


def jsx(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Lines with only tags, expressions and comments."""
    source = state.src
    first = position = state.bMarks[start] + state.tShift[start]
    if source[position] not in "<{":
        return False
    last = state.eMarks[end - 1]
    limit = state.eMarks[min(end, start + _MAX_TAG_LINES) - 1]
    tokens: list[Token] = []
    while True:
        if source.startswith("<!--", position):
            position = comment_end(state.env, source, position, last)
        else:
            position = _construct(state, position, limit, tokens)
        if position < 0:
            return False
        limit = max(limit, position)
        while position < last and source[position] in " \t":
            position += 1
        if position >= last or source[position] == "\n":
            break
    if not silent:
        for token in tokens:
            token.level = state.level
        state.tokens.extend(tokens)
        state.line = start + source.count("\n", first, position) + 1
    return True


def _construct(state: StateBlock, position: int, limit: int, tokens: list[Token]) -> int:
    """Read one tag or expression. Return its end, or -1 when there is none."""
    source = state.src
    if source[position] == "{":
        after = expression_end(state.env, source, position, limit)
        if after >= 0:
            tokens.append(_expression(source[position + 1 : after - 1]))
        return after
    if source[position] != "<":
        return -1
    parsed = tag_at(state.env, source, position, limit)
    if parsed is None:
        return -1
    tokens.append(Token("tag", "", 0, meta={"tag": parsed[0]}))
    return parsed[1]


def _expression(content: str) -> Token:
    return Token("expression", "", 0, content=content)


def expression(state: StateInline, silent: bool) -> bool:
    """An expression in inline text."""
    after = expression_end(state.env, state.src, state.pos, state.posMax)
    if after < 0:
        return False
    if not silent:
        state.push("expression", "", 0).content = state.src[state.pos + 1 : after - 1]
    state.pos = after
    return True


def unwrapped_fence(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A fence named `mdx-code-block`; Docusaurus parses its content as if the fence were absent."""
    first = state.bMarks[start] + state.tShift[start]
    opened = _UNWRAPPED.match(state.src, first, state.eMarks[start])
    if not opened:
        return False
    if silent:
        return True
    line = start + 1
    while line < end:
        written = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()
        if len(written) >= len(opened[1]) and not written.strip(opened[1][0]):
            break
        line += 1
    state.md.block.tokenize(state, start + 1, line)
    state.line = min(line + 1, end)
    return True
