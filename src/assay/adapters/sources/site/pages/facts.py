"""A page's metadata and links, read from its HTML once, when it is fetched. No I/O."""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from urllib.parse import unquote, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from assay.adapters.sources.site.addresses import resolve
from assay.adapters.sources.site.discovery.robots import header_directives, meta_directives
from assay.adapters.sources.site.pages.app_shell import LONGEST_SHELL, is_app_shell
from assay.model.nesting import limit_nesting

REVISION = 4
"""Increase when the facts change: stored pages are then parsed again."""

_MAX_LINKS = 5_000
_MAX_TITLE = 200
_MAX_TAGS, _MAX_TAG_LENGTH = 20, 60
_MAX_ALTERNATES = 200
_REFRESH_SECONDS = 10
_REFRESH = re.compile(
    r"\s*+(\d++)(?:\.\d*+)?+\s*+[;,]?+\s*+(?:url\s*+=)?+\s*+[\"']?([^\"'>\s][^\"'>]*+)", re.IGNORECASE
)
_LINK_HEADER = re.compile(r"<([^>]{1,2000})>\s*((?:;[^,<]*)?)")
_PAGE_SUFFIX = re.compile(r"\.(?:html?|md)\b(?![/.\w])")
_IGNORED_ELEMENTS = ["script", "style", "noscript", "template", "svg"]
_IGNORED = ", ".join(_IGNORED_ELEMENTS)
_MAIN = ("main", "[role=main]", "article")
_MIN_MAIN_CHARACTERS = 40
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun"
_SERIAL = re.compile(rf"(?:\d+|\b(?:{_MONTHS})[a-z]{{0,7}}\b)[\s.,:/-]*", re.IGNORECASE)
_MAX_TAGS_PARSED = 400_000
"""Tags parsed per page; more would need more memory than one page may use. Few pages have over ten thousand."""

_NUMBERED = re.compile(r"(?<![A-Za-z0-9:._-])[A-Za-z:._-]*+[0-9][A-Za-z0-9:._-]*+")
"""A number, a time or a request id; not the whole sentence in languages without spaces."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """A page's metadata. Addresses are absolute; "" means none.

    noindex: the page must not be found by a search. refresh: target of its meta refresh.
    version, version_group: from its meta elements; a page belongs to one version of each group.
    alternates: pairs of a language and the address of the page in it; `x-default` is one.
    fingerprint: hash of the visible text without the page's own address; equal for equal pages.
    gist: as fingerprint, without words that contain a digit; equal for pages that differ in a time or request id.
    skeleton: as fingerprint, without numbers and dates; equal within an endless series. "" for an address without a
        number.
    needs_browser: JavaScript makes its text.
    """

    canonical: str = ""
    noindex: bool = False
    refresh: str = ""
    lang: str = ""
    locale: str = ""
    version: str = ""
    version_group: str = ""
    alternates: tuple[tuple[str, str], ...] = ()
    tags: tuple[str, ...] = ()
    title: str = ""
    heading: str = ""
    fingerprint: str = ""
    gist: str = ""
    skeleton: str = ""
    sitemaps: tuple[str, ...] = ()
    needs_browser: bool = False

    def as_json(self) -> str:
        """Serialize for the store."""
        values = ((name, getattr(self, name)) for name in self.__dataclass_fields__)  # asdict() copies every tuple
        return json.dumps({name: value for name, value in values if value}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "PageFacts":
        """Deserialize from the store."""
        values = json.loads(text)
        for name in ("tags", "sitemaps"):
            values[name] = tuple(values.get(name, ()))
        values["alternates"] = tuple((lang, address) for lang, address in values.get("alternates", ()))
        return cls(**values)


@dataclass(frozen=True, slots=True)
class PageHead:
    """A page's facts and its links, without duplicates.

    tree: of the page; None if elements were removed from it, or if it is not the whole page.
    """

    facts: PageFacts
    links: tuple[str, ...]
    tree: LexborHTMLParser | None


def read_html_facts(
    text: str, address: str, headers: Mapping[str, str], now: datetime, *, with_gist: bool = True
) -> PageHead:
    """Parse an HTML page.

    address: where it was served. headers: of the response, with lower-case names. now: with a time zone.
    with_gist: false leaves the gist out, for a site that has no soft 404 pages.
    """
    text, rest = _split_at_limit(text)
    tree = LexborHTMLParser(limit_nesting(text))
    nodes = _nodes_by_tag(tree)
    base_node = next((node for node in nodes["base"] if "href" in node.attributes), None)
    base = (resolve(address, _attribute(base_node, "href")) if base_node is not None else None) or address
    metas = _metas(nodes["meta"])
    directives = header_directives(headers.get("x-robots-tag", ""), now)
    for name in ("robots", "assay"):
        directives |= meta_directives(metas.get(name, ""), now)
    linked = _read_link_elements(nodes["link"], base)
    canonical = _header_canonical(headers.get("link", ""), base) or linked.canonical
    links = _links(nodes, base, linked) if "nofollow" not in directives else ()
    root = tree.root
    lang = _attribute(root, "lang") if root is not None else ""
    reader = _VisibleText(tree)
    titles = _title(tree), reader.heading()  # before elements are removed for the visible text
    visible = reader.of_main()
    if rest:
        visible = _collapse_whitespace(visible + rest)
    bare = _without_address(visible, address)
    version, group = _version(metas)
    facts = PageFacts(
        canonical=canonical,
        noindex="noindex" in directives,
        refresh=_refresh(metas.get("refresh", ""), base, address),
        lang=lang.strip(),
        locale=metas.get("docusaurus_locale") or metas.get("docsearch:language", ""),
        version=version,
        version_group=group,
        alternates=tuple(linked.alternates[:_MAX_ALTERNATES]),
        tags=_tags(metas),
        title=titles[0],
        heading=titles[1],
        fingerprint=_digest(bare),
        gist=_gist(bare) if with_gist else "",
        skeleton=_digest(_without_numbers(bare)) if series_of(address) else "",
        sitemaps=tuple(linked.sitemaps[:10]),
        needs_browser=is_app_shell(tree, text, visible),
    )
    return PageHead(facts, links, None if rest or reader.is_changed else tree)


def series_of(address: str) -> str:
    """The address's path and query with `#` for each number, equal within a series; "" if it has no number."""
    parts = urlsplit(address)
    where = f"{parts.path}?{parts.query}"
    return re.sub(r"\d+", "#", where) if re.search(r"\d", where) else ""


def read_markdown_facts(text: str, headers: Mapping[str, str], now: datetime) -> PageFacts:
    """The facts of a Markdown page; its links are not followed."""
    directives = header_directives(headers.get("x-robots-tag", ""), now)
    text = _collapse_whitespace(text)
    return PageFacts(noindex="noindex" in directives, fingerprint=_digest(text), gist=_gist(text))


@dataclass
class _LinkElements:
    """The targets of the `<link>` elements."""

    canonical: str
    alternates: list[tuple[str, str]]
    sitemaps: list[str]
    neighbours: list[str]


def _attribute(node: LexborNode, name: str) -> str:
    return node.attributes.get(name) or ""


def _nodes_by_tag(tree: LexborHTMLParser) -> defaultdict[str, list[LexborNode]]:
    """The elements with facts and links by tag, each in document order. One selection takes a sixth of six."""
    found: defaultdict[str, list[LexborNode]] = defaultdict(list)
    for node in tree.css("base, meta, link[href], a[href], area[href], frame[src]"):
        found["a" if node.tag == "area" else node.tag or ""].append(node)
    return found


def _metas(nodes: Iterable[LexborNode]) -> dict[str, str]:
    """Content of each meta element by lower-case name; values of repeatable ones are joined."""
    found: dict[str, str] = {}
    for node in nodes:
        attributes = node.attributes
        name = (attributes.get("name") or attributes.get("property") or attributes.get("http-equiv") or "").lower()
        content = attributes.get("content")
        if not name or not content:
            continue
        if name in {"robots", "assay", "keywords", "article:tag"} and name in found:
            found[name] += "," + content
        else:
            found.setdefault(name, content.strip())
    return found


def _read_link_elements(nodes: Iterable[LexborNode], base: str) -> _LinkElements:
    linked = _LinkElements("", [], [], [])
    for node in nodes:
        attributes = node.attributes
        kinds = (attributes.get("rel") or "").lower().split()
        if not {"canonical", "alternate", "next", "prev", "sitemap"} & set(kinds):
            continue
        target = resolve(base, attributes.get("href") or "")
        if target is None:
            continue
        language = attributes.get("hreflang")
        if "canonical" in kinds:
            linked.canonical = linked.canonical or target
        elif "alternate" in kinds and language:
            linked.alternates.append((language.strip(), target))
        elif "sitemap" in kinds:
            linked.sitemaps.append(target)
        elif "next" in kinds or "prev" in kinds:
            linked.neighbours.append(target)
    return linked


def _links(nodes: Mapping[str, list[LexborNode]], base: str, linked: _LinkElements) -> tuple[str, ...]:
    found = dict.fromkeys(linked.neighbours)
    found |= dict.fromkeys(target for _, target in linked.alternates)
    if linked.canonical:
        found[linked.canonical] = None
    hrefs = dict.fromkeys(_hrefs(nodes))
    for href in hrefs:
        target = resolve(base, href)
        if target is not None:
            found[target] = None
            if len(found) >= _MAX_LINKS:
                break
    return tuple(found)


def _hrefs(nodes: Mapping[str, list[LexborNode]]) -> Iterator[str]:
    for node in nodes.get("a", ()):
        attributes = node.attributes
        href = attributes.get("href")
        if href and href[0] != "#" and "nofollow" not in (attributes.get("rel") or "").lower():
            yield href
    for node in nodes.get("frame", ()):
        yield _attribute(node, "src")


def _header_canonical(value: str, base: str) -> str:
    for target, parameters in _LINK_HEADER.findall(value[:8_000]):
        if re.search(r"rel\s*+=\s*+\"?[^\";]{0,100}?\bcanonical\b", parameters, re.IGNORECASE):
            return resolve(base, target) or ""
    return ""


def _refresh(content: str, base: str, address: str) -> str:
    match = _REFRESH.match(content)
    if match is None or int(match[1][:6]) > _REFRESH_SECONDS:
        return ""
    target = resolve(base, match[2])
    return target if target is not None and target != address else ""


def _version(metas: Mapping[str, str]) -> tuple[str, str]:
    """The page's version and version group."""
    tag = metas.get("docusaurus_tag") or metas.get("docsearch:docusaurus_tag", "")
    version = metas.get("docusaurus_version", "")
    if version:
        plugin = tag.removeprefix("docs-").removesuffix(version).rstrip("-") if tag.startswith("docs-") else ""
        return version[:60], plugin or "default"
    named = [part.strip() for part in metas.get("docsearch:version", "").split(",") if part.strip()]
    return (named[0][:60], "") if named else ("", "")


def _tags(metas: Mapping[str, str]) -> tuple[str, ...]:
    words = f"{metas.get('keywords', '')},{metas.get('article:tag', '')}".split(",")
    tags = (_collapse_whitespace(word) for word in words)
    return tuple(dict.fromkeys(tag for tag in tags if 0 < len(tag) <= _MAX_TAG_LENGTH))[:_MAX_TAGS]


def _title(tree: LexborHTMLParser) -> str:
    node = tree.css_first("title")
    return _collapse_whitespace(node.text())[:_MAX_TITLE] if node is not None else ""


class _VisibleText:
    """Reads the visible text of a tree, from which it removes elements with other text.

    is_changed: whether it removed any.
    """

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree
        self.is_changed = False

    def heading(self) -> str:
        """The text of the first level-1 heading."""
        node = self._tree.css_first("h1")
        if node is None:
            return ""
        if not _is_ignored(node):
            self._remove_ignored(node)
        return _collapse_whitespace(node.text())[:_MAX_TITLE]

    def of_main(self) -> str:
        """The text of the main element, or of the body if there is none."""
        for selector in _MAIN:
            node = self._tree.css_first(selector)
            if node is not None and _is_ignored(node):
                self._tree.strip_tags(_IGNORED_ELEMENTS)
                self.is_changed = True
                node = self._tree.css_first(selector)
            if node is not None:
                text = self._of(node)
                if len(text) >= _MIN_MAIN_CHARACTERS:
                    return text
        return self._of(self._tree.body) if self._tree.body is not None else ""

    def _of(self, node: LexborNode) -> str:
        self._remove_ignored(node)
        text = _collapse_whitespace(node.text(separator=" "))
        if len(text) <= LONGEST_SHELL and not self.is_changed:
            self._remove_ignored(node, with_empty=True)  # they count as content of an app shell
        return text

    def _remove_ignored(self, node: LexborNode, *, with_empty: bool = False) -> None:
        """Remove the elements without visible text, if one has text or `with_empty`."""
        ignored = node.css(_IGNORED)
        if with_empty or any(inner.tag == "noscript" or inner.text().strip() for inner in ignored):
            for inner in reversed(ignored):  # the innermost first: removing one frees those inside it
                inner.decompose()
            self.is_changed = self.is_changed or bool(ignored)


def _is_ignored(node: LexborNode) -> bool:
    """Whether a node is inside an element whose text is not visible."""
    parent = node.parent
    while parent is not None:
        if parent.tag in _IGNORED_ELEMENTS:
            return True
        parent = parent.parent
    return False


def _without_address(text: str, address: str) -> str:
    """The text without the page's own address, which error pages repeat.

    With any suffix: a page at `/guide` and at `/guide.html` may name its copy in Markdown, `/guide.md`.
    """
    parts = urlsplit(address)
    path = _PAGE_SUFFIX.sub("", parts.path)
    whole = f"{parts.scheme}://{parts.netloc}{path}"
    bare = text
    for part in (address, unquote(address), whole, unquote(whole), path, unquote(path), unquote(path).strip("/")):
        if len(part) > 3 and part in bare:
            bare = re.sub(rf"{re.escape(part)}(?:{_PAGE_SUFFIX.pattern})?", "", bare)
    return text if bare == text else _collapse_whitespace(bare)


def _without_numbers(text: str) -> str:
    """The text with `#` for each run of numbers and names of days and months.

    Replaced one by one: a pattern that matches a whole run needed 600 MB on a page of numbers.
    """
    return re.sub("\0+", "#", _SERIAL.sub("\0", text))


def _split_at_limit(text: str) -> tuple[str, str]:
    """The part of a page that is parsed, and the rest, which is empty for all but absurd pages."""
    if text.count("<") <= _MAX_TAGS_PARSED:
        return text, ""
    start = next(islice(re.finditer("<", text), _MAX_TAGS_PARSED, None)).start()
    return text[:start], text[start:]


def _gist(text: str) -> str:
    return _digest(_collapse_whitespace(_NUMBERED.sub("", text)) or text)


def _collapse_whitespace(text: str) -> str:
    return " ".join(text.split())


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()
