"""The title of a page."""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from assay.ingest.html.nodes import Attributes, short_text

_SUFFIX = re.compile(r"(.*\S)\s+(?:[|–—·•:]|::|»|-)\s+\S.*", re.DOTALL)
_BLANKS = re.compile(r"\s+")


def title_of(tree: LexborHTMLParser, first_heading: str | None) -> str:
    """The first level-1 heading, else `<title>` without the site's name, else `og:title`.

    first_heading: the one in the content, if any.
    """
    if first_heading:
        return first_heading
    metas = _metas(tree)
    node = tree.css_first("head > title")
    title = _collapse_whitespace(short_text(node)) if node is not None else ""
    og_title = metas.get("og:title", "")
    if not title:
        return og_title
    site = metas.get("og:site_name", "")
    if og_title and og_title != title and title.startswith(og_title):
        return og_title
    if site and title.endswith(site) and (rest := title[: -len(site)].rstrip(" |–—·•:»-")):
        return rest
    found = _SUFFIX.fullmatch(title)
    return found[1] if found else title


def heading_above_content(tree: LexborHTMLParser, root: LexborNode) -> LexborNode | None:
    """The level-1 heading above the content; None if the content has one, or if there is not exactly one."""
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
            found.setdefault(name, _collapse_whitespace(attributes.get("content") or ""))
    return found


def _collapse_whitespace(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()
