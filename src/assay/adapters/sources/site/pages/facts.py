"""What a page says of itself and where it leads, read from its HTML once, when it comes. Pure."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import islice
from urllib.parse import unquote, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from assay.adapters.sources.site.addresses import resolve
from assay.adapters.sources.site.discovery.robots import header_directives, meta_directives
from assay.model.nesting import tamed

REVISION = 2
"""Changes with what is read here: what was kept before is then read anew from the body."""

_MOST_LINKS = 5_000
_MOST_TAGS, _LONGEST_TAG = 20, 60
_MOST_ALTERNATES = 200
_REFRESH_SECONDS = 10
_REFRESH = re.compile(
    r"\s*+(\d++)(?:\.\d*+)?+\s*+[;,]?+\s*+(?:url\s*+=)?+\s*+[\"']?([^\"'>\s][^\"'>]*+)", re.IGNORECASE
)
_LINK_HEADER = re.compile(r"<([^>]{1,2000})>\s*((?:;[^,<]*)?)")
_UNREAD = ["script", "style", "noscript", "template", "svg"]
_MAIN = ("main", "[role=main]", "article")
_LEAST_MAIN = 40
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun"
_SERIAL = re.compile(rf"(?:\d+|\b(?:{_MONTHS})[a-z]{{0,7}}\b)[\s.,:/-]*", re.IGNORECASE)
_MOST_ELEMENTS = 400_000
"""Tags that are parsed: as many more would take the build more memory than reading a page may. Hardly a page has some
ten thousand."""

_NUMBERED = re.compile(r"(?<![A-Za-z0-9:._-])[A-Za-z:._-]*+[0-9][A-Za-z0-9:._-]*+")
"""A number, a time, or the name of a request; not the sentence around it where words are written without blanks."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What is known of a page besides its body; addresses are absolute, and "" says that there is none.

    noindex: the page is not to be found by a search. refresh: where it sends its readers on.
    version, version_group: as its meta elements name it; versions of one group exclude each other.
    alternates: pairs of a language and the address of the page in it; `x-default` is one.
    fingerprint: of the text that is shown, without the page's own address in it: equal for equal pages.
    gist: of the same without words with a digit, if others are left: equal for pages that differ in the time or the
        number of a request as well.
    skeleton: the same without numbers and dates: equal for the pages of an endless series. "" where the address has
        no number.
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

    def as_json(self) -> str:
        """For the store."""
        return json.dumps({name: value for name, value in asdict(self).items() if value}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "PageFacts":
        """From the store."""
        values = json.loads(text)
        for name in ("tags", "sitemaps"):
            values[name] = tuple(values.get(name, ()))
        values["alternates"] = tuple((lang, address) for lang, address in values.get("alternates", ()))
        return cls(**values)


@dataclass(frozen=True, slots=True)
class ReadHead:
    """A page's facts, and the addresses that its links lead to, each once."""

    facts: PageFacts
    links: tuple[str, ...]


def read_html_facts(text: str, address: str, headers: Mapping[str, str], now: datetime) -> ReadHead:
    """Read what an HTML page says of itself.

    address: that it was served at. headers: of its answer, names in small letters. now: with a time zone.
    """
    text, rest = _parted(text)
    tree = LexborHTMLParser(tamed(text))
    base_node = tree.css_first("base[href]")
    base = (resolve(address, _attribute(base_node, "href")) if base_node is not None else None) or address
    metas = _metas(tree)
    directives = header_directives(headers.get("x-robots-tag", ""), now)
    for name in ("robots", "assay"):
        directives |= meta_directives(metas.get(name, ""), now)
    linked = _linked(tree, base)
    canonical = _header_canonical(headers.get("link", ""), base) or linked.canonical
    links = _links(tree, base, linked) if "nofollow" not in directives else ()
    root = tree.root
    lang = _attribute(root, "lang") if root is not None else ""
    heading = tree.css_first("h1")
    title = tree.css_first("title")
    bare = _without_address(_shown_text(tree) + rest, address)
    version, group = _version(metas)
    facts = PageFacts(
        canonical=canonical,
        noindex="noindex" in directives,
        refresh=_refresh(metas.get("refresh", ""), base, address),
        lang=lang.strip(),
        locale=metas.get("docusaurus_locale") or metas.get("docsearch:language", ""),
        version=version,
        version_group=group,
        alternates=tuple(linked.alternates[:_MOST_ALTERNATES]),
        tags=_tags(metas),
        title=_squeezed(title.text())[:200] if title is not None else "",
        heading=_squeezed(heading.text())[:200] if heading is not None else "",
        fingerprint=_digest(bare),
        gist=_gist(bare),
        skeleton=_digest(_without_numbers(bare)) if series_of(address) else "",
        sitemaps=tuple(linked.sitemaps[:10]),
    )
    return ReadHead(facts, links)


def series_of(address: str) -> str:
    """What the addresses of a series share, which differ in a number only: path and query with `#` for it; or ""."""
    parts = urlsplit(address)
    where = f"{parts.path}?{parts.query}"
    return re.sub(r"\d+", "#", where) if re.search(r"\d", where) else ""


def read_markdown_facts(text: str, headers: Mapping[str, str], now: datetime) -> PageFacts:
    """Read what can be known of a page that came as Markdown; its links are not followed."""
    directives = header_directives(headers.get("x-robots-tag", ""), now)
    shown = _squeezed(text)
    return PageFacts(noindex="noindex" in directives, fingerprint=_digest(shown), gist=_gist(shown))


@dataclass
class _Linked:
    """What the `<link>` elements say."""

    canonical: str
    alternates: list[tuple[str, str]]
    sitemaps: list[str]
    neighbours: list[str]


def _attribute(node: LexborNode, name: str) -> str:
    return node.attributes.get(name) or ""


def _metas(tree: LexborHTMLParser) -> dict[str, str]:
    """Content of each meta element by its name in small letters; of those that may repeat, all of it."""
    found: dict[str, str] = {}
    for node in tree.css("meta"):
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


def _linked(tree: LexborHTMLParser, base: str) -> _Linked:
    linked = _Linked("", [], [], [])
    for node in tree.css("link[href]"):
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


def _links(tree: LexborHTMLParser, base: str, linked: _Linked) -> tuple[str, ...]:
    found = dict.fromkeys(linked.neighbours)
    found |= dict.fromkeys(target for _, target in linked.alternates)
    if linked.canonical:
        found[linked.canonical] = None
    hrefs = dict.fromkeys(_hrefs(tree))
    for href in hrefs:
        target = resolve(base, href)
        if target is not None:
            found[target] = None
            if len(found) >= _MOST_LINKS:
                break
    return tuple(found)


def _hrefs(tree: LexborHTMLParser) -> Iterator[str]:
    for node in tree.css("a[href], area[href]"):
        attributes = node.attributes
        href = attributes.get("href")
        if href and href[0] != "#" and "nofollow" not in (attributes.get("rel") or "").lower():
            yield href
    for node in tree.css("frame[src]"):
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
    """The version that the page is of, and the group of versions that it is one of."""
    tag = metas.get("docusaurus_tag") or metas.get("docsearch:docusaurus_tag", "")
    version = metas.get("docusaurus_version", "")
    if version:
        plugin = tag.removeprefix("docs-").removesuffix(version).rstrip("-") if tag.startswith("docs-") else ""
        return version[:60], plugin or "default"
    named = [part.strip() for part in metas.get("docsearch:version", "").split(",") if part.strip()]
    return (named[0][:60], "") if named else ("", "")


def _tags(metas: Mapping[str, str]) -> tuple[str, ...]:
    words = f"{metas.get('keywords', '')},{metas.get('article:tag', '')}".split(",")
    tags = (_squeezed(word) for word in words)
    return tuple(dict.fromkeys(tag for tag in tags if 0 < len(tag) <= _LONGEST_TAG))[:_MOST_TAGS]


def _shown_text(tree: LexborHTMLParser) -> str:
    """The text of the main part of the page, or of all of it where none is marked."""
    tree.strip_tags(_UNREAD)
    for selector in _MAIN:
        node = tree.css_first(selector)
        if node is not None:
            text = _squeezed(node.text(separator=" "))
            if len(text) >= _LEAST_MAIN:
                return text
    return _squeezed(tree.body.text(separator=" ")) if tree.body is not None else ""


def _without_address(text: str, address: str) -> str:
    """A text without the address that it was served at: pages of errors repeat it."""
    parts = urlsplit(address)
    for part in (address, unquote(address), parts.path, unquote(parts.path), unquote(parts.path).strip("/")):
        if len(part) > 3:
            text = text.replace(part, "")
    return _squeezed(text)


def _without_numbers(text: str) -> str:
    """A text with `#` for each row of numbers and names of days and months.

    One by one, for a pattern that takes a whole row remembers each step of it: 600 MB for a page of numbers.
    """
    return re.sub("\0+", "#", _SERIAL.sub("\0", text))


def _parted(text: str) -> tuple[str, str]:
    """The part of a page that is parsed, and the rest, which is nothing but of a page beyond reason."""
    if text.count("<") <= _MOST_ELEMENTS:
        return text, ""
    start = next(islice(re.finditer("<", text), _MOST_ELEMENTS, None)).start()
    return text[:start], text[start:]


def _gist(text: str) -> str:
    return _digest(_squeezed(_NUMBERED.sub("", text)) or text)


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()
