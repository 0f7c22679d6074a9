"""Parsers for sitemaps (XML, text) and llms.txt. No I/O; malformed files are read as far as possible."""

import html
import re
from dataclasses import dataclass, field
from xml.parsers import expat

from assay.adapters.sources.site.http.decoding import BodyTooLong, DecodingError, decode_text, gunzip
from assay.redaction import redacted_content

MAX_ENTRIES = 50_000
"""Addresses read from one file: the protocol's limit (sitemaps.org)."""

_PIECE = 64 * 1024
_LOC = re.compile(r"<(?:\w++:)?loc\s*+>\s*+(?:<!\[CDATA\[\s*+)?([^<\s\]]{1,2000})", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_XML = re.compile(rb"\s*+(\xef\xbb\xbf\s*+)?(<\?xml|<(\w++:)?(urlset|sitemapindex)\b|<!--)", re.IGNORECASE)


@dataclass
class Listing:
    """The entries of a sitemap, as written.

    pages, sitemaps: addresses. fault: what is wrong with the file; "" if nothing.
    is_sitemap: false for a file of another kind, such as an HTML page sent for every address.
    """

    pages: list[str] = field(default_factory=list)
    sitemaps: list[str] = field(default_factory=list)
    fault: str = ""
    is_sitemap: bool = True


def read_sitemap(body: bytes, content_type: str, address: str, max_bytes: int) -> Listing:
    """Parse a sitemap by its content, whatever its name. Never raises.

    max_bytes: of the decompressed file; a longer one is not read.
    """
    try:
        data = gunzip(body, max_bytes)
    except BodyTooLong:
        return Listing(fault=f"it is longer than {max_bytes:,} bytes, decompressed")
    except DecodingError as error:
        return Listing(fault=f"it cannot be decompressed: {error}")
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    if wide or _XML.match(data):
        return _read_xml(data)
    if re.match(rb"\s*<", data):
        return Listing(is_sitemap=False, fault="it is a page, not a sitemap")
    if "html" in content_type.lower() and not address.endswith(".txt"):
        return Listing(is_sitemap=False, fault="it is a page, not a sitemap")
    return _read_text(data, content_type)


class _RefusedXml(Exception):
    pass


class _XmlReader:
    """Collects addresses from expat events without building a tree."""

    def __init__(self) -> None:
        self.listing = Listing()
        self._stack: list[str] = []
        self._text: list[str] | None = None
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse

    def _refuse(self, *_: object) -> None:
        raise _RefusedXml

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2].lower()
        if len(self._stack) > 50:
            raise _RefusedXml
        parent = self._stack[-1] if self._stack else ""
        self._stack.append(local)
        if local == "loc" and parent in {"url", "sitemap"}:
            self._text = []
        elif local == "link" and parent == "url" and attributes.get("rel") == "alternate":
            self._add(self.listing.pages, attributes.get("href", ""))

    def _end(self, _: str) -> None:
        self._stack.pop()
        if self._text is not None and self._stack:
            target = self.listing.sitemaps if self._stack[-1] == "sitemap" else self.listing.pages
            self._add(target, "".join(self._text))
        self._text = None

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _add(self, target: list[str], address: str) -> None:
        if len(target) >= MAX_ENTRIES:
            self.listing.fault = f"it lists more than {MAX_ENTRIES:,} addresses; the rest is ignored"
        elif address.strip():
            target.append(redacted_content(address.strip()))


def _read_xml(data: bytes) -> Listing:
    reader = _XmlReader()
    try:
        for start in range(0, len(data), _PIECE):
            reader.parser.Parse(data[start : start + _PIECE], False)
        reader.parser.Parse(b"", True)
    except _RefusedXml:
        return Listing(fault="it declares a document type or entities; such sitemaps are not read")
    except expat.ExpatError as error:
        salvaged = _salvage(data)
        salvaged.fault = (
            f"it is invalid XML ({error}); {len(salvaged.pages) + len(salvaged.sitemaps)} addresses were read"
        )
        return salvaged
    return reader.listing


def _salvage(data: bytes) -> Listing:
    """Extract the addresses of malformed XML. Only HTML entities are expanded."""
    text = decode_text(data, "")
    found = [html.unescape(address) for address in _LOC.findall(text)[:MAX_ENTRIES]]
    index = "<sitemapindex" in text[:2000].lower()
    return Listing(sitemaps=found) if index else Listing(pages=found)


def _read_text(data: bytes, content_type: str) -> Listing:
    lines = (line.strip() for line in decode_text(data, content_type, html=False).splitlines())
    listing = Listing()
    others = 0
    for line in lines:
        if _ADDRESS.fullmatch(line):
            if len(listing.pages) >= MAX_ENTRIES:
                listing.fault = f"it lists more than {MAX_ENTRIES:,} addresses; the rest is ignored"
                break
            listing.pages.append(line)
        elif line and not line.startswith("#"):
            others += 1
    if not listing.pages:
        return Listing(is_sitemap=False, fault="it lists no addresses")
    if others:
        listing.fault = f"{others} of its lines are not addresses"
    return listing


_MARKDOWN_LINK = re.compile(r"\]\(\s*+<?([^()<>\s]{1,2000}+(?:\([^()\s]*+\)[^()<>\s]*+)?)>?[^()]{0,300}?\)")
_BARE = re.compile(r"(?<![(<\[\w])https?://[^\s<>()\[\]\"'`]{1,2000}")


def read_llms(text: str) -> list[str]:
    """The links of an llms.txt, as written: Markdown links and bare URLs, without duplicates."""
    found = [match[1] for match in _MARKDOWN_LINK.finditer(text)]
    found += [match[0].rstrip(".,;:!?") for match in _BARE.finditer(text)]
    return list(dict.fromkeys(found))[:MAX_ENTRIES]
