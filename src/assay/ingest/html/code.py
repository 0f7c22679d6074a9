"""Code blocks: what stands in them byte for byte, and what language they are in."""

import re
from collections.abc import Callable

from selectolax.lexbor import LexborNode

from assay.ingest.html.nodes import TEXT, Attributes, children
from assay.ingest.html.patterns import Patterns

_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|highlight)-([\w+#.-]+)")
_OUTER = 4
"""Elements around a `pre` in which its language may be named."""
_BESIDES_LANGUAGES = frozenset(["source", "wrapper", "container", "copy", "box", "block", "line", "lines", "toolbar"])

_NOT_CODE = Patterns(
    "ln lnt linenos lineno linenumber line-number line-numbers line-numbers-rows line-numbers-wrapper lnl ln-num "
    "gutter rouge-gutter hljs-ln-numbers react-syntax-highlighter-line-number code-line-number copy copybtn "
    "copy-button sr-only visually-hidden codelineno nextra-copy-icon"
)
_LINES = frozenset(["div", "p", "li", "tr", "section", "ol", "ul", "table", "tbody", "figure", "pre"])
_UNSEEN = frozenset(["button", "svg", "script", "style", "template", "select", "textarea", "noscript"])
_LINE_CLASSES = Patterns("line code-line token-line highlight-line view-line cl")
_UNUSUAL = (
    "<button", "<svg", "<table", "<style", "<script", '"ln', " ln", "lineno", "line-n", "linen", "gutter", "copy",
    "sr-only", "visually",
)  # fmt: skip
"""What code has in it when it is to be read node by node; all other is read line by line, in less time."""
_LAST_BREAK = "<br></div>"


def language_of(pre: LexborNode, unnamed: frozenset[str]) -> str:
    """Language of a code block as its author named it, "" for none.

    unnamed: what the generator writes where the author named none.
    """
    inner = [child for child in children(pre) if child.tag == "code"][:1]
    for node in (*inner, pre):
        if named := _named(node.attributes):
            return "" if named in unnamed else named
    outer = pre.parent
    for _ in range(_OUTER):
        if outer is None or outer.tag in {"body", "main", "article", "li", "td", "section"}:
            break
        if named := _named(outer.attributes):
            return "" if named in unnamed else named
        outer = outer.parent
    return ""


def _named(attributes: Attributes) -> str:
    for name in ("data-language", "data-lang"):
        if value := (attributes.get(name) or "").strip():
            return value
    class_ = attributes.get("class") or ""
    for found in _LANGUAGE.finditer(class_):
        if found[1] not in _BESIDES_LANGUAGES:
            return found[1]
    names = class_.split()
    if ("hljs" in names or "sourceCode" in names) and len(names) == 2:
        return next(name for name in names if name not in {"hljs", "sourceCode"})
    return ""


def code_of(pre: LexborNode, language: str = "", empty_line: str = "") -> str:
    """What a code block shows, byte for byte: without line numbers, buttons and the tags of highlighting.

    empty_line: what the generator writes for a line with nothing in it.
    """
    pre = _only_code(pre) or pre
    if language == "diff" and (marked := _marked_lines(pre)) is not None:
        return marked
    shown = _shown(pre)
    if empty_line and empty_line in shown:
        return "\n".join("" if line == empty_line else line for line in shown.split("\n"))
    return shown


def _marked_lines(code: LexborNode) -> str | None:
    """A diff whose lines have their first column as a class, as Expressive Code writes it; None for any other."""
    lines: list[str] = []
    is_marked = False
    for line in children(code):
        classes = (line.attributes.get("class") or "").split()
        if "ec-line" not in classes:
            return None
        mark = "-" if "del" in classes else "+" if "ins" in classes else " "
        is_marked = is_marked or mark != " "
        lines.append(mark + _slowly(line).removesuffix("\n"))
    return "\n".join(lines) if is_marked else None


def _shown(pre: LexborNode) -> str:
    first = pre.first_child
    # Prism's renderer for React puts nothing but code into a line.
    is_prism = first is not None and first.tag == "div" and "token-line" in (first.attributes.get("class") or "")
    if is_prism and (found := _lines_of(pre)) is not None:
        return found
    html = pre.html or ""
    breaks = html.count("<br")
    is_plain = breaks == (breaks and html.count(_LAST_BREAK)) and not any(sign in html for sign in _UNUSUAL)
    if is_plain and (found := _lines_of(pre)) is not None:
        return found
    return _slowly(pre)


def _only_code(pre: LexborNode) -> LexborNode | None:
    """The `code` in a block when there is one: what stands beside it are buttons and the like."""
    inner = [child for child in children(pre) if child.tag == "code"]
    return inner[0] if len(inner) == 1 else None


def _lines_of(code: LexborNode) -> str | None:
    """Code whose lines are plain text, or each an element of its own; None when it is neither."""
    first = code.first_child
    if first is not None and first.tag == "div":
        lines: list[str] = []
        node: LexborNode | None = first
        while node is not None:
            if node.tag == "div":
                if (child := node.first_child) is not None and child.tag == "div":
                    return None
                lines.append(node.text().removesuffix("\n"))
            elif node.tag != TEXT or (node.text_content or "").strip():
                return None
            node = node.next
        return "\n".join(lines)
    text = code.text()
    if "\n" not in text.strip("\n"):
        return None
    if any(child.tag in _LINES for child in children(code)):
        return None
    return text


def _slowly(pre: LexborNode) -> str:
    """Code read node by node."""
    parts: list[str] = []
    waiting: list[tuple[LexborNode | None, Callable[[], None] | None]] = []
    node = pre.first_child
    while node is not None or waiting:
        if node is None:
            node, close = waiting.pop()
            if close is not None:
                close()
            continue
        after, tag = node.next, node.tag or ""
        if tag == TEXT:
            parts.append(node.text_content or "")
        elif tag == "br":
            parts.append("\n")
        elif not tag.startswith("-") and tag not in _UNSEEN and not _is_beside(tag, node.attributes):
            waiting.append((after, _line_closer(node, tag, parts)))
            node = node.first_child
            continue
        node = after
    return "".join(parts)


def _is_beside(tag: str, attributes: Attributes) -> bool:
    """Whether an element in code is no part of the code."""
    return bool(attributes) and _NOT_CODE.match(tag, (attributes.get("class") or "").split())


def _line_closer(node: LexborNode, tag: str, parts: list[str]) -> Callable[[], None] | None:
    """What to do at the end of an element that is a line, or holds lines: end the line; None for all others."""
    is_line = tag in _LINES or (tag == "span" and _is_line_span(node))
    if not is_line:
        return None
    if parts and not parts[-1].endswith("\n") and tag in _LINES:
        parts.append("\n")
    begun = len(parts)

    def close() -> None:
        written = any(parts[begun:]) if len(parts) > begun else False
        if not written or not parts[-1].endswith("\n"):
            if tag == "pre" or (tag in _LINES and not written and node.first_child is not None and _holds_lines(node)):
                return
            parts.append("\n")

    return close


def _holds_lines(node: LexborNode) -> bool:
    return any(child.tag in _LINES for child in children(node))


def _is_line_span(node: LexborNode) -> bool:
    """Whether a span is a line of code that no line break follows, inside or after it."""
    attributes = node.attributes
    if "data-line" not in attributes and not _LINE_CLASSES.match("span", (attributes.get("class") or "").split()):
        return False
    parent, after = node.parent, node.next
    if parent is not None and parent.tag == "span":
        return False
    if after is None or after.tag == TEXT:
        return False
    return not (node.text() or "").endswith("\n")
