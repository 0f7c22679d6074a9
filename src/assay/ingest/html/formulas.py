"""Formulas as TeX, if the page contains it."""

import re

from selectolax.lexbor import LexborNode

from assay.ingest.html.nodes import TEXT, Attributes, class_names, descendants

_INLINE = re.compile(r"\s*\\\((.*)\\\)\s*", re.DOTALL)
_DISPLAY = re.compile(r"\s*(?:\\\[(.*)\\\]|\$\$(.*)\$\$)\s*", re.DOTALL)
_DOLLARS = re.compile(r"\s*\$(.*)\$\s*", re.DOTALL)


def formula_of(node: LexborNode) -> tuple[str, bool]:
    """The TeX of a formula without delimiters, or MathML's text; and whether it is a display formula."""
    attributes = node.attributes
    is_display = _is_display(node.tag or "", attributes)
    annotation = script = math = None
    for inner in descendants(node):
        if inner.tag == "annotation" and "tex" in (inner.attributes.get("encoding") or ""):
            annotation = annotation or inner
        elif inner.tag == "script" and "math/tex" in (inner.attributes.get("type") or ""):
            script = script or inner
        elif inner.tag == "math":
            math = math or inner
            is_display = is_display or _is_display(inner.tag, inner.attributes)
        elif inner.tag is not None and not inner.tag.startswith("-"):
            is_display = is_display or _is_display(inner.tag, inner.attributes)
    if node.tag == "math":
        math = node
    found = annotation or script
    if found is not None:
        if found is script:
            is_display = is_display or "mode=display" in (found.attributes.get("type") or "")
        return found.text().strip(), is_display
    if math is not None:
        is_display = is_display or math.attributes.get("display") == "block"
        written = (math.attributes.get("alttext") or "").strip()
        return written or _mathml_text(math), is_display
    return _between_marks(node.text(), is_display)


def _is_display(tag: str, attributes: Attributes) -> bool:
    classes = class_names(attributes)
    if tag == "div" or "katex-display" in classes or "math-display" in classes:
        return True
    if tag == "math":
        return attributes.get("display") == "block"
    return tag == "mjx-container" and attributes.get("display") == "true"


def _mathml_text(math: LexborNode) -> str:
    """The visible text of MathML, without annotations."""
    parts = [
        (inner.text_content or "").strip()
        for inner in descendants(math)
        if inner.tag == TEXT and inner.parent is not None and not (inner.parent.tag or "").startswith("annotation")
    ]
    return " ".join(part for part in parts if part)


def _between_marks(text: str, is_display: bool) -> tuple[str, bool]:
    if found := _DISPLAY.fullmatch(text):
        return (found[1] or found[2] or "").strip(), True
    if found := _INLINE.fullmatch(text) or _DOLLARS.fullmatch(text):
        return found[1].strip(), is_display
    return text.strip(), is_display
