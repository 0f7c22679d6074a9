"""HTML and JSX tags in Markdown: parsing one, and the role of its element."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from assay.ingest.markdown.javascript import skip_braces

_NAME = r"[A-Za-z][\w.:-]*"
_SIMPLE_TAG = re.compile(
    rf"""<(?:(?P<close>/)\s*+(?P<closed>{_NAME})?\s*+
        |(?P<open>{_NAME})(?P<attributes>(?>\s+[\w:@.-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'))?)*+)\s*(?P<void>/?)
        |)>""",
    re.VERBOSE,
)
_OPEN_NAME = re.compile(rf"<({_NAME})(?=[\s/>{{])")
_ATTRIBUTE = re.compile(r"""([\w:@.-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`{]+)(?=[\s/>])|(?=(\{))))?""")
_BLANKS = re.compile(r"\s*")
_PIECE = re.compile(r"<!--.*?(?:-->|$)|<\?.*?(?:\?>|$)|<![A-Za-z\[].*?(?:>|$)", re.DOTALL)


class TagKind(Enum):
    """The kind of a tag."""

    OPEN = "open"
    CLOSE = "close"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag. name: as written, "" for a fragment; attributes: strings without quotes, expressions in braces."""

    name: str
    kind: TagKind
    attributes: dict[str, str] = field(default_factory=dict)

    def text(self, *names: str) -> str:
        """The first of these attributes that is a string and not blank, "" when there is none."""
        for name in names:
            value = self.attributes.get(name, "").strip()
            if value.startswith("{") and value.endswith("}"):
                value = value[1:-1].strip()
                value = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'`" else ""
            if value:
                return value
        return ""


def parse_tag(source: str, position: int, end: int) -> tuple[Tag, int] | None:
    """Parse the tag that starts at a `<`. Return it and its end; None when there is none."""
    if simple := _SIMPLE_TAG.match(source, position, end):
        return _simple(simple), simple.end()
    named = _OPEN_NAME.match(source, position, end)
    return _with_expressions(named[1], source, named.end(), end) if named else None


def _simple(match: re.Match[str]) -> Tag:
    if match["close"]:
        return Tag(match["closed"] or "", TagKind.CLOSE)
    name, written = match["open"] or "", match["attributes"]
    attributes = _attributes(written) if written else {}
    return Tag(name, TagKind.VOID if match["void"] else TagKind.OPEN, attributes)


def _attributes(written: str) -> dict[str, str]:
    return {
        found[1]: html.unescape(found[2] if found[2] is not None else found[3] or "")
        for found in _ATTRIBUTE.finditer(written)
    }


def _with_expressions(name: str, source: str, position: int, end: int) -> tuple[Tag, int] | None:
    """Read the attributes one by one: JSX expressions and HTML values without quotes."""
    attributes: dict[str, str] = {}
    while True:
        position = _BLANKS.match(source, position, end).end()  # type: ignore[union-attr]  # matches always
        if source.startswith("/>", position) and position + 2 <= end:
            return Tag(name, TagKind.VOID, attributes), position + 2
        if source.startswith(">", position) and position < end:
            return Tag(name, TagKind.OPEN, attributes), position + 1
        if source.startswith("{", position):
            position = skip_braces(source, position, end)
            if position < 0:
                return None
            continue
        found = _ATTRIBUTE.match(source, position, end)
        if not found:
            return None
        value = next((group for group in found.groups()[1:4] if group is not None), "")
        position = found.end()
        if found[5]:
            after = skip_braces(source, position, end)
            if after < 0:
                return None
            value, position = source[position:after], after
        attributes[found[1]] = value if found[5] else html.unescape(value)


def html_pieces(source: str) -> Iterator[Tag | str]:
    """The tags and the text of raw HTML in order; comments and declarations are omitted."""
    position, end = 0, len(source)
    text_start = 0
    while (position := source.find("<", position)) >= 0:
        parsed = parse_tag(source, position, end)
        after = parsed[1] if parsed else -1
        if parsed is None and (skipped := _PIECE.match(source, position)):
            after = skipped.end()
        if after < 0:
            position += 1
            continue
        if text_start < position:
            yield html.unescape(source[text_start:position])
        if parsed:
            yield parsed[0]
        position = text_start = after
    if text_start < end:
        yield html.unescape(source[text_start:])


class Role(Enum):
    """The role of an element for the text inside it."""

    INLINE = "inline"  # inline text
    BLOCK = "block"  # block text
    HIDDEN = "hidden"  # hidden text
    LINK = "link"
    IMAGE = "image"
    CODE_SPAN = "code span"
    LINE_BREAK = "line break"
    HEADING = "heading"
    LIST = "list"
    ITEM = "item"
    QUOTE = "quote"
    DEFINITIONS = "definitions"
    TERM = "term"
    DEFINITION = "definition"
    CODE = "code"
    TABLE = "table"
    ROW = "row"
    CELL = "cell"
    DETAILS = "details"
    SUMMARY = "summary"
    TABS = "tabs"
    TAB = "tab"
    ADMONITION = "admonition"
    COMPONENT = "component"  # a custom component; inline or block


_ROLES: dict[Role, str] = {
    Role.INLINE: "abbr acronym b bdi bdo big cite data del dfn em font i ins kbd label mark q rp rt ruby s small span "
    "strike strong sub sup time u var wbr button output meter progress input",
    Role.BLOCK: "address article aside body caption center col colgroup dialog dir div fieldset figcaption "
    "figure footer form frameset header hgroup hr html legend link main meta nav option optgroup p "
    "param section select source tbody tfoot thead title track base picture search",
    Role.HIDDEN: "script style svg template noscript noframes iframe object canvas audio video head Head map",
    Role.LINK: "a Link",
    Role.IMAGE: "img Image Img ThemedImage",
    Role.CODE_SPAN: "code tt samp",
    Role.LINE_BREAK: "br",
    Role.HEADING: "h1 h2 h3 h4 h5 h6 Heading",
    Role.LIST: "ul ol menu",
    Role.ITEM: "li",
    Role.QUOTE: "blockquote",
    Role.DEFINITIONS: "dl",
    Role.TERM: "dt",
    Role.DEFINITION: "dd",
    Role.CODE: "pre CodeBlock",
    Role.TABLE: "table",
    Role.ROW: "tr",
    Role.CELL: "td th",
    Role.DETAILS: "details",
    Role.SUMMARY: "summary",
    Role.TABS: "Tabs",
    Role.TAB: "TabItem Tab",
    Role.ADMONITION: "Admonition Aside Callout Note Tip Info Warning Danger Caution Important Check",
}
_ROLE_OF = {name: role for role, names in _ROLES.items() for name in names.split()}
_RUNNING = frozenset([Role.INLINE, Role.LINK, Role.IMAGE, Role.CODE_SPAN, Role.LINE_BREAK, Role.COMPONENT])
_VOID = frozenset(
    ["br", "hr", "img", "input", "meta", "link", "source", "wbr", "col", "area", "base", "embed", "track", "param"]
)


def role_of(tag: Tag) -> Role:
    """The role of a tag's element. HTML names match in any case, component names exactly."""
    role = _ROLE_OF.get(tag.name)
    if role is not None:
        return role
    if not tag.name:
        return Role.INLINE
    role = _ROLE_OF.get(tag.name.lower()) if tag.name.isupper() else None
    return role or (Role.COMPONENT if tag.name[0].isupper() else Role.INLINE)


def nesting_of(tag: Tag) -> int:
    """1 for a tag that opens a block element, -1 for one that closes it, 0 for every other tag."""
    if is_void(tag) or role_of(tag) in _RUNNING:
        return 0
    return -1 if tag.kind is TagKind.CLOSE else 1


def is_void(tag: Tag) -> bool:
    """Whether the tag is self-closed or a void element of HTML."""
    return tag.kind is TagKind.VOID or (tag.kind is TagKind.OPEN and tag.name.lower() in _VOID)
