"""markdown-it-py's state of a parse, with faster ways to make what pages have most of: lines and tokens."""

from collections.abc import MutableMapping
from itertools import accumulate
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

_TAB_STOP = 4


class FastToken(Token):
    """A token, made in half of the time."""

    __slots__ = ()

    def __init__(self, type: str, tag: str, nesting: Literal[-1, 0, 1], level: int, block: bool) -> None:  # noqa: A002
        self.type = type
        self.tag = tag
        self.nesting = nesting
        self.attrs = {}
        self.map = None
        self.level = level
        self.children = None
        self.content = ""
        self.markup = ""
        self.info = ""
        self.meta = {}
        self.block = block
        self.hidden = False


class BlockState(StateBlock):
    """The state of a block parser, made in a third of the time."""

    def __init__(self, src: str, md: MarkdownIt, env: MutableMapping[str, Any], tokens: list[Token]) -> None:
        super().__init__("", md, env, tokens)
        self.src = src
        lines = src.split("\n")
        if not lines[-1].strip(" \t"):  # as markdown-it counts: none after the last line break, and none of only blanks
            lines.pop()
        lengths = [len(line) for line in lines]
        self.bMarks = [0, *accumulate(length + 1 for length in lengths)]
        self.eMarks = [start + length for start, length in zip(self.bMarks, lengths, strict=False)]
        self.tShift = [length - len(line.lstrip(" \t")) for line, length in zip(lines, lengths, strict=True)]
        self.sCount = self.tShift.copy()
        if "\t" in src:
            self.sCount = [_width(line[:shift]) for line, shift in zip(lines, self.tShift, strict=True)]
        self.lineMax = len(lines)
        # The entry after the last line.
        self.bMarks[-1] = len(src)
        self.eMarks.append(len(src))
        self.tShift.append(0)
        self.sCount.append(0)
        self.bsCount = [0] * len(self.bMarks)

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """Add a token."""
        if nesting < 0:
            self.level -= 1
        token = FastToken(ttype, tag, nesting, self.level, block=True)
        if nesting > 0:
            self.level += 1
        self.tokens.append(token)
        return token


class InlineState(StateInline):
    """The state of an inline parser."""

    def pushPending(self) -> Token:  # noqa: N802  (overrides)
        """Add the pending text as a token."""
        token = FastToken("text", "", 0, self.pendingLevel, block=False)
        token.content, self.pending = self.pending, ""
        self.tokens.append(token)
        return token

    @property
    def has_delimiters(self) -> bool:
        """Whether any marks may be those of emphasis or the like."""
        return bool(self.delimiters) or any(meta and meta.get("delimiters") for meta in self.tokens_meta)


def _width(indent: str) -> int:
    """The columns that an indentation takes."""
    width = 0
    for character in indent:
        width += _TAB_STOP - width % _TAB_STOP if character == "\t" else 1
    return width
