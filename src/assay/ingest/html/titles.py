"""What a page is called."""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from assay.ingest.html.nodes import Attributes, short_text

_SUFFIX = re.compile(r"(.*\S)\s+(?:[|–—·•:]|::|»|-)\s+\S.*", re.DOTALL)
_BLANKS = re.compile(r"\s+")


def title_of(tree: LexborHTMLParser, first_heading: str | None) -> str:
    """The page's first level-1 heading, else its `<title>` without the site's name, else what it gives to others.

    first_heading: the one in its text, if any.
    """
    if first_heading:
        return first_heading
    metas = _metas(tree)
    node = tree.css_first("head > title")
    written = _plain(short_text(node)) if node is not None else ""
    shared = metas.get("og:title", "")
    if not written:
        return shared
    site = metas.get("og:site_name", "")
    if shared and shared != written and written.startswith(shared):
        return shared
    if site and written.endswith(site) and (rest := written[: -len(site)].rstrip(" |–—·•:»-")):
        return rest
    found = _SUFFIX.fullmatch(written)
    return found[1] if found else written


def heading_outside(tree: LexborHTMLParser, root: LexborNode) -> LexborNode | None:
    """The level-1 heading that stands over the content; None where it is in it, or not the only one."""
    if root.css_first("h1") is not None:
        return None
    found = tree.css("main h1, article h1, [role=main] h1")
    return found[0] if len({node.mem_id for node in found}) == 1 else None


def _metas(tree: LexborHTMLParser) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in tree.css("meta[property]"):
        attributes: Attributes = node.attributes
        name = attributes.get("property") or ""
        if name in {"og:title", "og:site_name"}:
            found.setdefault(name, _plain(attributes.get("content") or ""))
    return found


def _plain(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()
