"""The text and language of code blocks."""

import re
from collections.abc import Callable

from selectolax.lexbor import LexborNode

from assay.ingest.html.class_patterns import ClassPatterns
from assay.ingest.html.nodes import TEXT, Attributes, children, class_names

_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|highlight)-([\w+#.-]+)")
_MAX_ANCESTORS = 4
"""Ancestors of a `pre` that may name its language."""
_NOT_LANGUAGES = frozenset(["source", "wrapper", "container", "copy", "box", "block", "line", "lines", "toolbar"])

_NOT_CODE = ClassPatterns(
    "ln lnt linenos lineno linenumber line-number line-numbers line-numbers-rows line-numbers-wrapper lnl ln-num "
    "gutter rouge-gutter hljs-ln-numbers react-syntax-highlighter-line-number code-line-number copy copybtn "
    "copy-button sr-only visually-hidden codelineno nextra-copy-icon ttc"
)
_LINES = frozenset(["div", "p", "li", "tr", "section", "ol", "ul", "table", "tbody", "figure", "pre"])
_HIDDEN_TAGS = frozenset(["button", "svg", "script", "style", "template", "select", "textarea", "noscript"])
_LINE_CLASSES = ClassPatterns("line code-line token-line highlight-line view-line cl")
_SPECIAL_MARKUP = (
    "<button", "<svg", "<table", "<style", "<script", '"ln', " ln", "lineno", "line-n", "linen", "gutter", "copy",
    "sr-only", "visually", '"ttc"',
)  # fmt: skip
"""Markup that needs reading node by node; other code is read line by line, which is faster."""
_LAST_BREAK = "<br></div>"


def language_of(pre: LexborNode, default_languages: frozenset[str]) -> str:
    """The language of a code block as its author named it; "" for none.

    default_languages: written by the generator where the author named none.
    """
    inner = [child for child in children(pre) if child.tag == "code"][:1]
    for node in (*inner, pre):
        if language := _declared_language(node.attributes):
            return "" if language in default_languages else language
    outer = pre.parent
    for _ in range(_MAX_ANCESTORS):
        if outer is None or outer.tag in {"body", "main", "article", "li", "td", "section"}:
            break
        if language := _declared_language(outer.attributes):
            return "" if language in default_languages else language
        outer = outer.parent
    return ""


def _declared_language(attributes: Attributes) -> str:
    for name in ("data-language", "data-lang"):
        if value := (attributes.get(name) or "").strip():
            return value
    class_ = attributes.get("class") or ""
    for found in _LANGUAGE.finditer(class_):
        if found[1] not in _NOT_LANGUAGES:
            return found[1]
    name_set = class_.split()
    if ("hljs" in name_set or "sourceCode" in name_set) and len(name_set) == 2:
        return next(name for name in name_set if name not in {"hljs", "sourceCode"})
    return ""


def code_of(pre: LexborNode, language: str = "", empty_line: str = "") -> str:
    """The text of a code block, unchanged, without line numbers, buttons and highlighting tags.

    empty_line: written by the generator for an empty line.
    """
    pre = _only_code(pre) or pre
    if language == "diff" and (diff := _marked_lines(pre)) is not None:
        return diff
    code = _visible_code(pre)
    if empty_line and empty_line in code:
        return "\n".join("" if line == empty_line else line for line in code.split("\n"))
    return code


def _marked_lines(code: LexborNode) -> str | None:
    """A diff whose first column is a class of each line (Expressive Code); None for others."""
    lines: list[str] = []
    is_marked = False
    for line in children(code):
        classes = class_names(line.attributes)
        if "ec-line" not in classes:
            return None
        mark = "-" if "del" in classes else "+" if "ins" in classes else " "
        is_marked = is_marked or mark != " "
        lines.append(mark + _read_nodes(line).removesuffix("\n"))
    return "\n".join(lines) if is_marked else None


def _visible_code(pre: LexborNode) -> str:
    first = pre.first_child
    # In Prism's React renderer a line contains only code.
    is_prism = first is not None and first.tag == "div" and "token-line" in (first.attributes.get("class") or "")
    if is_prism and (found := _lines_of(pre)) is not None:
        return found
    html = pre.html or ""
    breaks = html.count("<br")
    is_plain = breaks == (breaks and html.count(_LAST_BREAK)) and not any(sign in html for sign in _SPECIAL_MARKUP)
    if is_plain and (found := _lines_of(pre)) is not None:
        return found
    return _read_nodes(pre)


def _only_code(pre: LexborNode) -> LexborNode | None:
    """The only `code` element in a block; its siblings are buttons and the like."""
    inner = [child for child in children(pre) if child.tag == "code"]
    return inner[0] if len(inner) == 1 else None


def _lines_of(code: LexborNode) -> str | None:
    """Read code whose lines are plain text or one element each; None for other code."""
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


def _read_nodes(pre: LexborNode) -> str:
    """Read code node by node."""
    parts: list[str] = []
    stack: list[tuple[LexborNode | None, Callable[[], None] | None]] = []
    node = pre.first_child
    while node is not None or stack:
        if node is None:
            node, close = stack.pop()
            if close is not None:
                close()
            continue
        after, tag = node.next, node.tag or ""
        if tag == TEXT:
            parts.append(node.text_content or "")
        elif tag == "br":
            parts.append("\n")
        elif not tag.startswith("-") and tag not in _HIDDEN_TAGS and not _is_not_code(tag, node.attributes):
            stack.append((after, _line_closer(node, tag, parts)))
            node = node.first_child
            continue
        node = after
    return "".join(parts)


def _is_not_code(tag: str, attributes: Attributes) -> bool:
    """Whether an element inside code is not code."""
    return bool(attributes) and _NOT_CODE.match(tag, class_names(attributes))


def _line_closer(node: LexborNode, tag: str, parts: list[str]) -> Callable[[], None] | None:
    """For an element that is a line or holds lines: a function that ends the line; None for others."""
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
    """Whether a span is a code line without a line break in or after it."""
    attributes = node.attributes
    if "data-line" not in attributes and not _LINE_CLASSES.match("span", class_names(attributes)):
        return False
    parent, after = node.parent, node.next
    if parent is not None and parent.tag == "span":
        return False
    if after is None or after.tag in {TEXT, "br"}:
        return False
    return not (node.text() or "").endswith("\n")
