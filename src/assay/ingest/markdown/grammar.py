"""The Markdown parsers, one per dialect: CommonMark and GFM with the rules that a site generator adds.

Every extension is a parser rule, so the content of code fences is never changed. Rules are selected by the current
character; this changes which rules are tried, never which one matches.
"""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from enum import Enum
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from assay.ingest.markdown import blocks, containers, inline_rules, mdx, tables
from assay.ingest.markdown.destinations import LinkHelpers
from assay.ingest.markdown.states import BlockState, InlineState

Environment = MutableMapping[str, Any]
BlockRule = Callable[[StateBlock, int, int, bool], bool]
InlineRule = Callable[[StateInline, bool], bool]

DEEPEST = 60
"""Deepest nesting of containers; deeper ones are read as plain paragraphs."""


class Dialect(Enum):
    """The extensions a page is written with."""

    MDX = "mdx"
    MKDOCS = "mkdocs"
    PLAIN = "plain"


_EVERYWHERE = ["paragraph", "reference", "blockquote", "list"]
_BLOCK_RULES: dict[str, tuple[BlockRule, str, list[str]]] = {
    # name: rule, characters that it begins with, what it can interrupt
    "esm": (mdx.esm, "ie", ["paragraph"]),
    "jsx": (mdx.jsx, "<{", _EVERYWHERE),
    "mdx_fence": (mdx.unwrapped_fence, "`~", _EVERYWHERE),
    "colons": (containers.colon_container, ":", _EVERYWHERE),
    "slashes": (containers.slash_container, "/", _EVERYWHERE),
    "identifier": (containers.identifier, ":", _EVERYWHERE),
    "admonition": (containers.admonition, "!?", _EVERYWHERE),
    "tab": (containers.tab, "=", _EVERYWHERE),
    "snippet": (containers.snippet, "-{", _EVERYWHERE),
    "abbreviation": (containers.abbreviation, "*", ["paragraph"]),
    "markdown_in_html": (containers.markdown_in_html, "<", _EVERYWHERE),
    "formula": (blocks.formula, "$", _EVERYWHERE),
}
_BEFORE_ALL = {
    Dialect.MDX: ["esm", "mdx_fence", "jsx", "colons", "formula"],
    Dialect.MKDOCS: [
        "slashes", "identifier", "admonition", "tab", "snippet", "abbreviation", "markdown_in_html", "formula",
    ],
    Dialect.PLAIN: ["colons", "slashes", "identifier", "admonition", "tab", "snippet", "markdown_in_html", "formula"],
}  # fmt: skip
_BLOCK_STARTS = {
    "table": "", "code": "", "fence": "`~", "blockquote": ">", "hr": "*-_", "list": "*-+0123456789", "reference": "[",
    "html_block": "<", "heading": "#", "paragraph": "", "footnote_def": "[", "deflist": "",
}  # fmt: skip
_INLINE_RULES: dict[str, tuple[InlineRule, str]] = {
    "expression": (mdx.expression, "{"),
    "inline_tag": (inline_rules.inline_tag, "<"),
    "formula": (inline_rules.formula, "$"),
    "edited": (inline_rules.edited_text, "{"),
    "macro": (inline_rules.macro, "{"),
    "attribute_list": (inline_rules.attribute_list, "{"),
    "icon": (inline_rules.icon, ":"),
    "emoji": (inline_rules.named_emoji, ":"),
    "wiki_link": (inline_rules.wiki_link, "[!"),
    "keys": (inline_rules.keys, "+"),
    "marked": (inline_rules.highlighted_text, "=^"),
    "raised": (inline_rules.raised_text, "~^"),
    "reference_link": (inline_rules.reference_link, "["),
}
_INLINE = {
    Dialect.MDX: ["inline_tag", "expression", "emoji", "formula"],
    Dialect.MKDOCS: [
        "inline_tag",
        "edited",
        "macro",
        "attribute_list",
        "icon",
        "emoji",
        "keys",
        "marked",
        "raised",
        "reference_link",
        "formula",
    ],
    Dialect.PLAIN: ["inline_tag", "emoji", "wiki_link", "formula"],
}  # fmt: skip
_INLINE_STARTS = {
    "newline": "\n", "escape": "\\", "backticks": "`", "strikethrough": "~", "emphasis": "*_", "link": "[",
    "image": "!", "autolink": "<", "entity": "&", "footnote_ref": "[",
}  # fmt: skip


class Parser(MarkdownIt):
    """A Markdown parser for one dialect. It returns block tokens; inline text is parsed on demand."""

    def __init__(self, dialect: Dialect) -> None:
        super().__init__("commonmark", {"maxNesting": DEEPEST, "html": True})
        self.dialect = dialect
        self.helpers = LinkHelpers  # type: ignore[assignment]  # instead of a module with the same functions
        self.enable(["table", "strikethrough"])
        footnote_plugin(self, inline=False, move_to_end=False)
        if dialect is not Dialect.MDX:
            deflist_plugin(self)
        self._add_rules()
        self.block = _BlockParser(self.block)
        inline = _InlineParser(self.inline)
        self.inline = inline
        self.special: Callable[[str], object | None] = inline.special
        """Finds the first character that can start anything but plain text."""

    def _add_rules(self) -> None:
        for name in _BEFORE_ALL[self.dialect]:
            rule, _, interrupts = _BLOCK_RULES[name]
            self.block.ruler.before("table", name, rule, {"alt": interrupts})
        if self.dialect is Dialect.MDX:
            self.disable(["code", "html_block"])
        if self.dialect is Dialect.MKDOCS:
            self.block.ruler.at("heading", blocks.python_markdown_heading, {"alt": ["paragraph", "reference"]})
            self.block.ruler.at(
                "html_block", blocks.python_markdown_html, {"alt": ["paragraph", "reference", "blockquote"]}
            )
        self.disable("lheading")  # the paragraph rule finds underlined headings on its way
        self.block.ruler.at("paragraph", blocks.paragraph)
        table = blocks.python_markdown_table if self.dialect is Dialect.MKDOCS else tables.table
        self.block.ruler.at("table", table, {"alt": ["paragraph", "reference"]})
        for name in _INLINE[self.dialect]:
            self.inline.ruler.before("entity", name, _INLINE_RULES[name][0])
        self.disable("html_inline")
        self.inline.ruler2.disable("fragments_join")

    def normalizeLink(self, url: str) -> str:  # noqa: N802  (overrides)
        """Keep addresses as written; links are resolved elsewhere."""
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802  (overrides)
        """Keep a displayed address as written."""
        return link

    def validateLink(self, url: str) -> bool:  # noqa: N802, ARG002  (overrides)
        """Accept every link; broken ones are detected elsewhere."""
        return True

    def parse_blocks(self, source: str, env: Environment) -> list[Token]:
        """Parse a source into block tokens. Inline tokens have no children yet."""
        tokens: list[Token] = []
        self.block.parse(source, self, env, tokens)
        return tokens

    def parse_inline(self, source: str, env: Environment) -> list[Token]:
        """Parse inline text into tokens."""
        return self.inline.parse(source, self, env, [])


@cache
def parser_for(dialect: Dialect) -> Parser:
    """The parser of a dialect; stateless between pages."""
    return Parser(dialect)


class _BlockParser(ParserBlock):
    """A block parser that tries only the rules that can start with the line's first character."""

    def __init__(self, configured: ParserBlock) -> None:
        super().__init__()
        self.ruler = configured.ruler
        starts = _BLOCK_STARTS | {name: characters for name, (_, characters, _) in _BLOCK_RULES.items()}
        rules = dict(zip(self.ruler.get_active_rules(), self.ruler.getRules(""), strict=True))
        self._any = _chosen(rules, starts, "")
        self._by_character = _by_character(rules, starts)
        self._ending: dict[str, tuple[dict[str, list[BlockRule]], list[BlockRule]]] = {}
        for block in ("paragraph", "blockquote"):
            chain = set(self.ruler.getRules(block))
            ending = {name: rule for name, rule in rules.items() if rule in chain}
            self._ending[block] = (_by_character(ending, starts), _chosen(ending, starts, ""))

    def ending(self, block: str, character: str) -> Sequence[BlockRule]:
        """The rules that may end a paragraph or a blockquote before a line with this first character."""
        by_character, anything = self._ending[block]
        return by_character.get(character, anything)

    def parse(self, src: str, md: MarkdownIt, env: Environment, outTokens: list[Token]) -> list[Token] | None:  # noqa: N803
        """Parse a source into tokens."""
        state = BlockState(src, md, env, outTokens)
        self.tokenize(state, 0, state.lineMax)
        return state.tokens

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803  (overrides)
        """Parse these lines into tokens."""
        line, had_blank = startLine, False
        by_character, anything = self._by_character, self._any
        begins, shifts, ends = state.bMarks, state.tShift, state.eMarks
        while line < endLine:
            state.line = line = state.skipEmptyLines(line)
            if line >= endLine or state.sCount[line] < state.blkIndent:
                break
            if state.level >= DEEPEST:
                blocks.flatten_too_deep(state, line, endLine)
                break
            first = state.src[begins[line] + shifts[line]]
            for rule in by_character.get(first, anything):
                if rule(state, line, endLine, False):
                    break
            state.tight = not had_blank
            line = state.line
            if line - 1 < endLine and begins[line - 1] + shifts[line - 1] >= ends[line - 1]:
                had_blank = True
            if line < endLine and begins[line] + shifts[line] >= ends[line]:
                had_blank = True
                line += 1
                state.line = line


class _InlineParser(ParserInline):
    """An inline parser that tries only the rules that can start with the current character."""

    def __init__(self, configured: ParserInline) -> None:
        super().__init__()
        self.ruler, self.ruler2 = configured.ruler, configured.ruler2
        starts = _INLINE_STARTS | {name: characters for name, (_, characters) in _INLINE_RULES.items()}
        rules = dict(zip(self.ruler.get_active_rules(), self.ruler.getRules(""), strict=True))
        del rules["text"]
        self._by_character = _by_character(rules, starts)
        self._special = inline_rules.special_characters("".join(self._by_character))
        self.special = self._special.search

    def parse(self, src: str, md: MarkdownIt, env: Environment, tokens: list[Token]) -> list[Token]:
        """Parse inline text into tokens."""
        state = InlineState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules("") if state.has_delimiters else ():
            rule(state)
        return state.tokens

    def tokenize(self, state: StateInline) -> None:
        """Parse the text from state.pos to state.posMax into tokens."""
        source, end, by_character = state.src, state.posMax, self._by_character
        while (position := state.pos) < end:
            for rule in by_character.get(source[position], ()) if state.level < DEEPEST else ():
                if rule(state, False):
                    break
            else:
                found = self._special.search(source, position + 1)
                state.pos = min(found.start() if found else end, end)
                state.append_pending(source[position : state.pos])
        if state.pending:
            state.pushPending()

    def skipToken(self, state: StateInline) -> None:  # noqa: N802  (overrides)
        """Move state.pos past the token that starts there."""
        position = state.pos
        if position in state.cache:
            state.pos = state.cache[position]
            return
        if state.level >= DEEPEST:
            state.pos = state.posMax
        elif rules := self._by_character.get(state.src[position]):
            state.level += 1
            skipped = any(rule(state, True) for rule in rules)
            state.level -= 1
            if not skipped:
                state.pos = position + 1
        else:
            found = self._special.search(state.src, position + 1)
            state.pos = min(found.start() if found else state.posMax, state.posMax)
        state.cache[position] = state.pos


def _by_character(rules: Mapping[str, Any], starts: Mapping[str, str]) -> dict[str, list[Any]]:
    """The rules, in order, by each character that one of them starts with."""
    characters = sorted({character for name in rules for character in starts[name]})
    return {character: _chosen(rules, starts, character) for character in characters}


def _chosen(rules: Mapping[str, Any], starts: Mapping[str, str], character: str) -> list[Any]:
    """The rules, in order, that can start with the character; rules without a start character always can."""
    return [rule for name, rule in rules.items() if not starts[name] or (character and character in starts[name])]
