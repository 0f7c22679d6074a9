"""Tokens of a page → normalized text.

One renderer handles one source: the page itself, or a file that it imports, whose headings are numbered separately.
All renderers of a page share a writer.
"""

import re
from collections.abc import Callable
from itertools import pairwise

from markdown_it.token import Token

from assay.ingest.markdown import fences
from assay.ingest.markdown.anchors import (
    Anchors,
    GithubAnchors,
    TocAnchors,
    attribute_list_id,
    braced_id,
    without_directives,
)
from assay.ingest.markdown.elements import Elements
from assay.ingest.markdown.grammar import Dialect, Environment, parser_for
from assay.ingest.markdown.inline_rules import IN_HEADING, RULES, WIKI_LINKS
from assay.ingest.markdown.javascript import shown_text, unescaped
from assay.ingest.markdown.links import PAGE_SUFFIX, MarkdownLinkResolver
from assay.ingest.markdown.macros import without_macros
from assay.ingest.markdown.mdx import IMPORTS
from assay.ingest.markdown.page_context import PageContext
from assay.ingest.markdown.scanning import allow_scanning
from assay.ingest.markdown.smart_text import smart_text
from assay.ingest.markdown.snippets import FRONT_MATTER, with_snippets
from assay.ingest.markdown.tag_reading import TagReader
from assay.ingest.markdown.tags import Tag, TagKind, html_pieces, nesting_of
from assay.ingest.text.inlines import Inline, code_span, storable
from assay.ingest.text.labels import container_label, is_tab

_NEWLINES = re.compile(r"\r\n?")
_ALERT = re.compile(r"\[!([A-Za-z]+)\][+-]?[ \t]*([^\n]*)(?:\n|$)")
_TABLES_OF_CONTENTS = {"[TOC]", "[toc]", "[[TOC]]", "[[toc]]", "[[_TOC_]]"}
_CODE_LANGUAGE = re.compile(r"\A(?:#!|:{3})[\w#.+-]+\s+(?=\S)")
_MEDIA_NAME = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|avif|bmp|pdf|mp[34]|webm|ogg|wav|mov)(?:#.*)?$", re.IGNORECASE)
_MOST_INCLUSIONS = 500
_DEEPEST_INCLUSION = 10


class Renderer:
    """Renders one source.

    links: resolves the links of this source's file.
    anchors: numbers the headings; None for a separate numbering.
    depth: number of files between the page and this source.
    """

    def __init__(
        self, context: PageContext, links: MarkdownLinkResolver, anchors: Anchors | None = None, depth: int = 0
    ) -> None:
        self._context = context
        self._links = links
        self._parser = parser_for(context.dialect)
        self._special = self._parser.special
        self._open_html = 0
        self._markdown_tag = ""
        self._given_anchors = anchors
        self._anchors: Anchors = anchors or GithubAnchors(title_has_anchor=not context.is_docusaurus)
        self._depth = depth
        self._environment: Environment = {}
        self._footnotes: dict[str, list[Token]] = {}
        self._referred: list[str] = []
        self._elements = Elements(context.writer, links)
        self._tags = TagReader(self._elements, self._tag_anchor)
        self._handlers: dict[str, Callable[[Token], None]] = self._block_handlers()
        self._named: dict[str, Callable[[Token], str]] = {"emoji": self._emoji, "wiki_link": self._wiki_link}

    def render(self, source: str) -> None:
        """Write a source, without its front matter."""
        source = _NEWLINES.sub("\n", storable(source).removeprefix("\ufeff"))
        if self._context.dialect is Dialect.MKDOCS:
            source = with_snippets(source, self._context.included, dedent=self._context.mkdocs.dedent_snippets)
        allow_scanning(self._environment, source)
        self._environment[RULES] = self._context.mkdocs
        self._environment[WIKI_LINKS] = self._context.is_github
        tokens = self._without_footnotes(self._parser.parse_blocks(source, self._environment))
        if self._context.dialect is Dialect.MKDOCS and self._given_anchors is None:
            taken = _explicit_ids(tokens) if self._context.mkdocs.attribute_lists else set()
            self._anchors = TocAnchors(taken, self._context.mkdocs)
        self._walk(tokens)
        self._elements.close_all()
        self._write_footnotes()

    # --- blocks ---

    def _block_handlers(self) -> dict[str, Callable[[Token], None]]:
        def close(_: Token) -> None:
            self._elements.close_container()

        def flush(_: Token) -> None:
            self._elements.flush()

        handlers: dict[str, Callable[[Token], None]] = {
            "inline": self._inline_block,
            "tag": self._tag_block,
            "fence": self._fence,
            "code_block": self._fence,
            "html_block": self._html,
            "html": self._html,
            "expression": self._expression_block,
            "list_item_open": self._open_item,
            "container_open": self._open_marked,
            "container_close": lambda token: self._elements.close_marked(token.markup),
            "indented_open": self._open_indented,
            "identifier": lambda token: self._elements.paragraph(Inline(token.content)),
            "include": self._include,
            "code_include": self._code_include,
            "formula_block": lambda token: self._elements.lines(token.content),
            "dl_open": self._open_definitions,
            "dt_open": lambda _: self._context.writer.part(),
            "dd_open": self._open_definition,
        }
        flushing = ("paragraph_close", "dt_close")
        closing = (
            "bullet_list_close", "ordered_list_close", "list_item_close", "blockquote_close", "indented_close",
            "dl_close", "dd_close",
        )  # fmt: skip
        return handlers | dict.fromkeys(flushing, flush) | dict.fromkeys(closing, close)

    def _walk(self, tokens: list[Token]) -> None:
        """Write tokens."""
        handlers = self._handlers
        index, count = 0, len(tokens)
        while index < count:
            token = tokens[index]
            name = token.type
            if handler := handlers.get(name):
                handler(token)
            elif name == "heading_open":
                self._heading(int(token.tag[1]), tokens[index + 1].content)
                index += 2
            elif name == "table_open":
                index = self._table(tokens, index)
            elif name in {"bullet_list_open", "ordered_list_open"}:
                self._open_list(tokens, index)
            elif name == "blockquote_open":
                self._open_quote(tokens, index)
            index += 1

    def _inline_block(self, token: Token) -> None:
        content = token.content
        if content[:1] == "[" and content in _TABLES_OF_CONTENTS and self._context.dialect is not Dialect.MDX:
            return
        self._inline(content)

    def _heading(self, level: int, content: str) -> None:
        dialect = self._context.dialect
        self._open_html = 0
        self._elements.flush()
        self._elements.reset_hidden()
        self._write_footnotes()
        if dialect is Dialect.MKDOCS:
            text, explicit = attribute_list_id(content) if self._context.mkdocs.attribute_lists else (content, None)
        else:
            text, explicit = braced_id(content, in_comment=dialect is Dialect.MDX)
        self._environment[IN_HEADING] = True
        slugged = self._inline(text)
        self._environment[IN_HEADING] = False
        if self._context.is_docusaurus:
            slugged, explicit = without_directives(slugged), explicit and without_directives(explicit)
        inline = self._elements.buffer.take()
        self._elements.heading(level, inline, self._anchors.anchor(slugged, level, explicit))

    def _tag_anchor(self, text: str, level: int) -> str | None:
        """The anchor of a heading that is written as HTML without an id: only GitHub gives it one."""
        return self._anchors.anchor(text, level, None) if self._context.is_github else None

    def _table(self, tokens: list[Token], index: int) -> int:
        """Write the table that opens at index. Return the index where it closes."""
        self._elements.flush()
        rows: list[list[Inline]] = []
        while (token := tokens[index]).type != "table_close":
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(self._run(self._without_list(token.content)))
            index += 1
        self._elements.table(rows)
        return index

    def _without_list(self, content: str) -> str:
        """A cell's text without the attribute list at its end."""
        has_lists = self._context.dialect is Dialect.MKDOCS and self._context.mkdocs.attribute_lists
        return attribute_list_id(content)[0] if has_lists and content.endswith("}") else content

    def _run(self, content: str) -> Inline:
        """Render inline text separately, as in a cell or a title; tags inside end with it."""
        if self._special(content) is None:
            return self._elements.captured_text(content)
        return self._elements.captured(lambda: self._inline(content))

    def _open_list(self, tokens: list[Token], index: int) -> None:
        opening = tokens[index]
        self._elements.open_container(self._context.writer.close_list)
        number = int(opening.attrs.get("start", 1)) if opening.type == "ordered_list_open" else None
        self._context.writer.open_list(is_tight=_is_tight(tokens, index), number=number)

    def _open_item(self, _: Token) -> None:
        self._elements.open_container(self._context.writer.close_frame)
        self._context.writer.open_item()

    def _open_quote(self, tokens: list[Token], index: int) -> None:
        first = tokens[index + 2] if index + 2 < len(tokens) and tokens[index + 1].type == "paragraph_open" else None
        if first and (alert := _ALERT.match(first.content)):
            first.content = first.content[alert.end() :]
            self._elements.open_labelled_container(container_label(alert[1], self._run(alert[2])), keep=True)
        else:
            self._elements.open_container(self._context.writer.close_frame)
            self._context.writer.open_quote()

    def _open_marked(self, token: Token) -> None:
        label = container_label(token.info, self._run(token.content))
        self._elements.open_marked(token.markup, label, keep=not is_tab(token.info))

    def _open_indented(self, token: Token) -> None:
        label = container_label(token.info, self._run(token.content))
        self._elements.open_labelled_container(label, keep=not is_tab(token.info))

    def _open_definitions(self, _: Token) -> None:
        self._elements.open_container(self._context.writer.close_list)
        self._context.writer.open_list(is_tight=True)

    def _open_definition(self, _: Token) -> None:
        self._elements.open_container(self._context.writer.close_note)
        self._context.writer.open_note(": ", is_next=True)

    def _fence(self, token: Token) -> None:
        content = token.content
        if self._open_html and token.type == "code_block" and content.lstrip().startswith("<"):
            self._html(token)  # Python-Markdown reads on until the element is closed
            return
        if self._context.is_docusaurus:
            content = fences.without_magic_comments(content)
        elif self._context.dialect is Dialect.MKDOCS and token.type == "code_block" and token.level:
            content = fences.without_common_indent(content)
        info = fences.parse_info(token.info)
        self._elements.code(content, info.language, info.title)

    def _html(self, token: Token) -> None:
        for piece in html_pieces(token.content):
            if isinstance(piece, str) and self._markdown_tag:
                self._inline(piece)
            elif isinstance(piece, str):
                has_macros = self._context.dialect is Dialect.MKDOCS and self._context.mkdocs.macros
                self._elements.text(without_macros(piece) if has_macros else piece)
            else:
                self._tag(piece)
                is_mkdocs = self._context.dialect is Dialect.MKDOCS and token.type != "html"
                if is_mkdocs and "markdown" in piece.attributes:
                    self._markdown_tag = piece.name
                elif piece.kind is TagKind.CLOSE and piece.name == self._markdown_tag:
                    self._markdown_tag = ""
                self._open_html = max(0, self._open_html + nesting_of(piece))
        self._markdown_tag = ""
        if token.type != "html":
            self._elements.flush()
        if self._context.dialect is not Dialect.MKDOCS:
            self._open_html = 0

    def _tag_block(self, token: Token) -> None:
        self._elements.flush()
        self._tag(token.meta["tag"])

    def _expression_block(self, token: Token) -> None:
        self._expression(token.content)
        self._elements.flush()

    # --- running text ---

    def _inline(self, content: str) -> str:
        """Write inline text. Return the text for its slug: code without backticks, expressions as written."""
        elements = self._elements
        if self._special(content) is None:
            elements.text(content)
            return smart_text(content, self._context.mkdocs)
        slugged: list[str] = []
        for token in self._parser.parse_inline(content, self._environment):
            name = token.type
            if name in {"text", "text_special"}:
                elements.text(token.content)
                slugged.append(smart_text(token.content, self._context.mkdocs))
            elif name == "code_inline":
                code = self._code_text(token.content)
                elements.verbatim(code if elements.collects_code else code_span(code))
                slugged.append(code)
            elif name == "softbreak":
                elements.text("\n")
            elif name == "link_open":
                elements.open_link(str(token.attrs.get("href", "")))
            elif name == "link_close":
                elements.buffer.close_link()
            else:
                slugged.append(self._rare_inline(token))
        return "".join(slugged)

    def _code_text(self, content: str) -> str:
        """The content of a code span, without the language that MkDocs's inlinehilite takes from its start."""
        has_language = self._context.dialect is Dialect.MKDOCS and self._context.mkdocs.code_languages
        return _CODE_LANGUAGE.sub("", content, count=1) if has_language else content

    def _rare_inline(self, token: Token) -> str:
        """Write a rare token. Return its text for the slug."""
        name = token.type
        if name == "tag":
            self._tag(token.meta["tag"])
        elif name == "hardbreak":
            self._elements.line_break()
        elif name == "image":
            alternative = _plain(token.children or [])
            self._elements.text(alternative)
            return alternative if self._context.dialect is Dialect.MDX else ""
        elif name == "expression":
            self._expression(token.content)
            return token.content
        elif name in self._named:
            return self._named[name](token)
        elif name == "formula":
            self._elements.verbatim(token.content.replace("\n", " "))
            return token.content
        elif name == "footnote_ref":
            label = str(token.meta["label"])
            self._referred.append(label)
            self._elements.text(f"[^{label}]")
            return "" if self._context.mkdocs.footnotes else label
        return ""

    def _wiki_link(self, token: Token) -> str:
        """Write a wiki link's text, as a link if its page is known; nothing for an embedded image. Return the text."""
        name, text = token.meta["name"], token.meta["text"]
        if token.meta["embeds"] and _MEDIA_NAME.search(name):
            return ""
        target = self._links.wiki_target(name)
        if target is None and text and (target := self._links.wiki_target(text)) is not None:
            text = name  # wikis of GitHub write the text first
        shown = str(text or " > ".join(part.strip() for part in name.split("#") if part.strip(" ^")))
        if target is not None:
            self._elements.open_link(target)
        self._elements.text(shown)
        if target is not None:
            self._elements.buffer.close_link()
        return shown

    def _emoji(self, token: Token) -> str:
        """Write an emoji. Return its text for the slug: nothing for an image; the name on GitHub and in Docusaurus."""
        shows = self._context.mkdocs.emoji if self._context.dialect is Dialect.MKDOCS else "character"
        written = f":{token.info}:"
        self._elements.text(written if shows == "text" else token.content)
        if self._context.dialect is not Dialect.MKDOCS or shows == "text":
            return written
        return token.content if shows == "character" else ""

    def _expression(self, content: str) -> None:
        path = self._environment.get(IMPORTS, {}).get(content.strip())
        if path is not None and self._elements.collects_code:
            self._elements.text(self._context.included(path) or "")
        elif shown := shown_text(content):
            self._elements.text(shown)

    def _tag(self, tag: Tag) -> None:
        path = self._environment.get(IMPORTS, {}).get(tag.name)
        if path is not None and tag.kind is not TagKind.CLOSE and PAGE_SUFFIX.search(path):
            if (text := self._context.included(path)) is not None:
                self._put(text, self._links.of_import(unescaped(path)), None)
            return
        self._tags.read(tag)

    # --- other files ---

    def _include(self, token: Token) -> None:
        if (text := fences.snippet(token.content, self._context.included)) is not None:
            self._put(text, self._links, self._anchors)

    def _code_include(self, token: Token) -> None:
        if (text := self._context.included(token.content)) is not None:
            if token.info:
                text = fences.selected_lines(text, fences.line_ranges(token.info))
            self._elements.code(text, fences.language_of(token.content), "")

    def _put(self, text: str, links: MarkdownLinkResolver, anchors: Anchors | None) -> None:
        """Write another file here. anchors: numbers its headings; None for its own numbering."""
        self._elements.flush()
        if not self._elements.is_run:
            self._elements.spill()
        self._context.inclusions += 1
        is_allowed = self._depth < _DEEPEST_INCLUSION and self._context.inclusions <= _MOST_INCLUSIONS
        if is_allowed and not self._elements.is_hidden:
            text = FRONT_MATTER.sub("", text.removeprefix("\ufeff"), count=1)
            Renderer(self._context, links, anchors, self._depth + 1).render(text)

    # --- footnotes ---

    def _without_footnotes(self, tokens: list[Token]) -> list[Token]:
        """Store the footnotes' texts. Return the other tokens."""
        if "footnotes" not in self._environment:
            return tokens
        kept: list[Token] = []
        label, depth = "", 0
        for token in tokens:
            if token.type == "footnote_reference_open":
                depth += 1
                if depth == 1:
                    label = str(token.meta["label"])
                    self._footnotes.setdefault(label, [])
            elif token.type == "footnote_reference_close":
                depth -= 1
            elif depth:
                self._footnotes[label].append(token)
            else:
                kept.append(token)
        return kept

    def _write_footnotes(self) -> None:
        """Write the footnotes referenced since the last heading, each once."""
        if not self._referred or self._context.writer.depth:
            return
        is_next = False
        while self._referred:
            label = self._referred.pop(0)
            if (tokens := self._footnotes.pop(label, None)) is None:
                continue
            self._elements.open_container(self._context.writer.close_note)
            self._context.writer.open_note(f"[^{label}]: ", is_next=is_next)
            self._walk(tokens)
            self._elements.close_container()
            is_next = True


def _is_tight(tokens: list[Token], index: int) -> bool:
    """Whether the list that opens at index is tight, as its first paragraph shows."""
    level = tokens[index].level
    for at in range(index + 1, len(tokens)):
        token = tokens[at]
        if token.type == "paragraph_open" and token.level == level + 2:
            return bool(token.hidden)
        if token.level == level and token.nesting < 0:
            break
    return True


def _explicit_ids(tokens: list[Token]) -> set[str]:
    """The explicit ids of a page's headings."""
    contents = (after.content for token, after in pairwise(tokens) if token.type == "heading_open")
    return {given for content in contents if (given := attribute_list_id(content)[1])}


def _plain(tokens: list[Token]) -> str:
    """The text of inline tokens without markup."""
    return "".join(
        " " if token.type == "softbreak" else token.content or _plain(token.children or []) for token in tokens
    )
