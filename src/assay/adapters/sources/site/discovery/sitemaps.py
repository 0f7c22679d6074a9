"""Files that list a site's pages: sitemaps (XML, text) and llms.txt. Pure; whatever can be read of them is."""

import html
import re
from dataclasses import dataclass, field
from xml.parsers import expat

from assay.adapters.sources.site.http.decoding import BadCoding, TooLong, decoded, gunzipped
from assay.redaction import redacted_content

MOST_ENTRIES = 50_000
"""Addresses of one file, as the protocol allows (sitemaps.org)."""

_PIECE = 64 * 1024
_LOC = re.compile(r"<(?:\w++:)?loc\s*+>\s*+(?:<!\[CDATA\[\s*+)?([^<\s\]]{1,2000})", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_XML = re.compile(rb"\s*+(\xef\xbb\xbf\s*+)?(<\?xml|<(\w++:)?(urlset|sitemapindex)\b|<!--)", re.IGNORECASE)


@dataclass
class Listing:
    """What a sitemap lists, as written.

    pages, sitemaps: addresses. fault: what is wrong with the file; "" if nothing is.
    is_sitemap: whether it is one at all; a server may answer any address with a page.
    """

    pages: list[str] = field(default_factory=list)
    sitemaps: list[str] = field(default_factory=list)
    fault: str = ""
    is_sitemap: bool = True


def read_sitemap(body: bytes, content_type: str, address: str, most_bytes: int) -> Listing:
    """Read a sitemap, by its content and not by its name. Never raises.

    most_bytes: of the file, unpacked; what is longer is not read.
    """
    try:
        data = gunzipped(body, most_bytes)
    except TooLong:
        return Listing(fault=f"it is longer than {most_bytes:,} bytes, unpacked")
    except BadCoding as error:
        return Listing(fault=f"it cannot be unpacked: {error}")
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    if wide or _XML.match(data):
        return _read_xml(data)
    if re.match(rb"\s*<", data):
        return Listing(is_sitemap=False, fault="it is a page and no sitemap")
    if "html" in content_type.lower() and not address.endswith(".txt"):
        return Listing(is_sitemap=False, fault="it is a page and no sitemap")
    return _read_text(data, content_type)


class _Refused(Exception):
    pass


class _XmlReader:
    """Collects the addresses while expat reads; keeps no tree."""

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
        raise _Refused

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2].lower()
        if len(self._stack) > 50:
            raise _Refused
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
        if len(target) >= MOST_ENTRIES:
            self.listing.fault = f"it lists more than {MOST_ENTRIES:,} addresses; the others are left out"
        elif address.strip():
            target.append(redacted_content(address.strip()))


def _read_xml(data: bytes) -> Listing:
    reader = _XmlReader()
    try:
        for start in range(0, len(data), _PIECE):
            reader.parser.Parse(data[start : start + _PIECE], False)
        reader.parser.Parse(b"", True)
    except _Refused:
        return Listing(fault="it declares a document type or entities, which no sitemap needs, and is not read")
    except expat.ExpatError as error:
        salvaged = _salvaged(data)
        salvaged.fault = (
            f"it is broken XML ({error}); {len(salvaged.pages) + len(salvaged.sitemaps)} addresses were read"
        )
        return salvaged
    return reader.listing


def _salvaged(data: bytes) -> Listing:
    """The addresses of a file that is no proper XML. Nothing is expanded in it but the entities of HTML."""
    text = decoded(data, "")
    found = [html.unescape(address) for address in _LOC.findall(text)[:MOST_ENTRIES]]
    index = "<sitemapindex" in text[:2000].lower()
    return Listing(sitemaps=found) if index else Listing(pages=found)


def _read_text(data: bytes, content_type: str) -> Listing:
    lines = (line.strip() for line in decoded(data, content_type, html=False).splitlines())
    listing = Listing()
    others = 0
    for line in lines:
        if _ADDRESS.fullmatch(line):
            if len(listing.pages) >= MOST_ENTRIES:
                listing.fault = f"it lists more than {MOST_ENTRIES:,} addresses; the others are left out"
                break
            listing.pages.append(line)
        elif line and not line.startswith("#"):
            others += 1
    if not listing.pages:
        return Listing(is_sitemap=False, fault="it lists no addresses")
    if others:
        listing.fault = f"{others} of its lines are no addresses"
    return listing


_MARKDOWN_LINK = re.compile(r"\]\(\s*+<?([^()<>\s]{1,2000}+(?:\([^()\s]*+\)[^()<>\s]*+)?)>?[^()]{0,300}?\)")
_BARE = re.compile(r"(?<![(<\[\w])https?://[^\s<>()\[\]\"'`]{1,2000}")


def read_llms(text: str) -> list[str]:
    """The links of an llms.txt, as written: those of Markdown and bare addresses, each once."""
    found = [match[1] for match in _MARKDOWN_LINK.finditer(text)]
    found += [match[0].rstrip(".,;:!?") for match in _BARE.finditer(text)]
    return list(dict.fromkeys(found))[:MOST_ENTRIES]
