"""Page addresses: normalized, without tracking parameters, and reduced to the key of a page. No I/O.

An *address* is fetched: absolute, with its trailing slash. A *key* identifies the page: its canonical URL, in which
`/page`, `/page/` and `/page/index.html` are one.
"""

import re
from functools import lru_cache
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit

from assay.errors import InputError
from assay.model.ids import WEB_PORTS, canonical_url

MAX_LENGTH = 2_000
"""Longest address in characters; longer ones are traps, and servers refuse them."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNRESERVED_ESCAPE = re.compile(r"%(2[dDeE]|3[0-9]|4[1-9a-fA-F]|5[0-9aAfF]|6[1-9a-fA-F]|7[0-9aAeE])")
"""Escapes of unreserved characters (RFC 3986)."""
_SAFE = "%/!$&'()*+,;=:@-._~"

_TRACKING = re.compile(
    r"(utm_\w+|mtm_\w+|matomo_\w+|pk_\w+|piwik_\w+|hsa_\w+|_hs\w+|ga_\w+|mc_[ce]id|gclid|gclsrc|dclid|gbraid|wbraid|"
    r"fbclid|msclkid|twclid|ttclid|li_fat_id|igshid|yclid|_openstat|_ga|_gl|vero_\w+|oly_\w+|mkt_tok|ref|referrer|"
    r"phpsessid|jsessionid|sessionid|session_id|sid|aspsessionid\w*|cfid|cftoken|highlight|theme|"
    r"docusaurus-theme|docusaurus-data-[\w-]+|tab|tabs)",
    re.IGNORECASE,
)
"""Parameters that track a visitor or change only the presentation."""

_VIEW = re.compile(
    r"(q|query|search|s|keywords?|sort|sort_?by|order|order_?by|dir|direction|filter|facet|facets|view|layout|display|"
    r"print|printable|action|do|oldid|diff|rev|replytocom|login|logout|return|returnto|return_?url|redirect|next_url|"
    r"date|day|week|month|year|expand|collapse|limit|per_page|pagesize|add-to-cart|format|download)",
    re.IGNORECASE,
)
"""Parameters for lists, views and actions; they do not lead to documentation pages."""

_INDEX = re.compile(r"/index\.html?$", re.IGNORECASE)
_PAGE_SUFFIX = re.compile(r"\.(html?|xhtml|php|aspx?|jsp|md|markdown)$", re.IGNORECASE)
_PAGE_ENDING = re.compile(r"(/(index|default)(\.(x?html?|php|aspx?|md))?|\.x?html?)$", re.IGNORECASE)
_MARKDOWN = re.compile(r"\.(md|markdown)$", re.IGNORECASE)
_BINARY = re.compile(
    r"\.(png|jpe?g|gif|svg|webp|avif|ico|bmp|tiff?|mp[34]|m4[av]|webm|ogg|ogv|wav|mov|avi|woff2?|ttf|otf|eot|"
    r"zip|t?gz|bz2|xz|zst|7z|rar|tar|whl|jar|deb|rpm|dmg|exe|msi|iso|bin|pdf|epub|docx?|xlsx?|pptx?|css|map)$",
    re.IGNORECASE,
)


def resolve(base: str, reference: str) -> str | None:
    """Resolve a link; None if it does not lead to an http or https page.

    base: absolute address of the page or of its `<base>`.
    """
    text = reference.strip()
    if not text or text[0] == "#" or len(text) > MAX_LENGTH:
        return None
    scheme = _SCHEME.match(text)
    if scheme:
        return _resolve_cached("", text) if scheme[0].lower() in {"http:", "https:"} else None
    if text[0] == "?":
        return _resolve_cached(base, text)
    origin, folder = _origin_and_folder(base)
    return _resolve_cached(origin if text[0] in "/\\" else folder, text)


@lru_cache(maxsize=256)
def _origin_and_folder(base: str) -> tuple[str, str]:
    """Origin and folder of an address."""
    parts = urlsplit(base)
    origin = f"{parts.scheme}://{parts.netloc}/"
    return origin, f"{origin[:-1]}{parts.path.rpartition('/')[0]}/"


@lru_cache(maxsize=16_384)
def _resolve_cached(base: str, reference: str) -> str | None:
    text = reference.replace("\n", "").replace("\r", "").replace("\t", "")
    try:
        absolute = urljoin(base, text.replace("\\", "/")) if base else text
    except ValueError:
        return None
    return normalize_url(absolute)


def normalize_url(url: str) -> str | None:
    """Normalize an address; None if it is invalid, not http or https, or contains credentials.

    Lower-case scheme and host, ASCII host, no default port, dot segments, fragment or tracking parameters; unsafe
    characters escaped.
    """
    try:
        return _normalized(url)
    except ValueError:
        return None


def _normalized(url: str) -> str | None:
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    host = (parts.hostname or "").rstrip(".")
    if scheme not in WEB_PORTS or not host or "@" in parts.netloc:
        return None
    if not host.isascii():
        host = host.encode("idna").decode("ascii")  # UnicodeError is a ValueError
    if re.search(r"[\s<>\"{}|\\^`%]", host):
        return None
    netloc = f"[{host}]" if ":" in host else host
    if parts.port is not None and parts.port != WEB_PORTS[scheme]:
        netloc = f"{netloc}:{parts.port}"
    path = _path(parts.path)
    return urlunsplit((scheme, netloc, path, _query(parts.query), ""))


def _path(path: str) -> str:
    """A path without dot segments, duplicate slashes and session ids, with its trailing slash."""
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        name = segment.replace("%2e", ".").replace("%2E", ".")
        if name == "..":
            if kept:
                kept.pop()
        elif name not in {"", "."}:
            kept.append(re.sub(r";(jsessionid|sid|phpsessid)=[^;]*", "", segment, flags=re.IGNORECASE))
    slash = "/" if kept and (segments[-1] in {"", ".", ".."}) else ""
    plain = _UNRESERVED_ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), "/" + "/".join(kept))
    return quote(_ESCAPE.sub("%25", plain), safe=_SAFE) + slash


def _query(query: str) -> str:
    if not query:
        return ""
    kept = [part for part in query.split("&") if part and not _TRACKING.fullmatch(unquote(part.partition("=")[0]))]
    return quote(_ESCAPE.sub("%25", "&".join(kept)), safe=_SAFE + "?")


@lru_cache(maxsize=16_384)
def key_of(address: str) -> str:
    """The key of the page at an address: its canonical URL without an index file name."""
    parts = urlsplit(canonical_url(address))
    path = _INDEX.sub("", parts.path) or "/"
    query = "&".join(sorted(parts.query.split("&"))) if "&" in parts.query else parts.query
    return urlunsplit((parts.scheme, parts.netloc, path, query, ""))


def without_index_file(address: str) -> str:
    """The address without an index file name."""
    parts = urlsplit(address)
    path = _INDEX.sub("/", parts.path)
    return address if path == parts.path else urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def spelling_group(key: str) -> str:
    """The key without case, suffix, index name, `www.` and query: equal for possible spellings of one page."""
    parts = urlsplit(key)
    path = _PAGE_ENDING.sub("", unquote(parts.path)).casefold().rstrip("/")
    return f"{parts.netloc.removeprefix('www.')}{path}"


def origin_of(address: str) -> str:
    """Scheme, host and port of an address: `https://docs.example.org`."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def at_origin(address: str, origin: str) -> str:
    """The same path and query at another origin."""
    parts = urlsplit(address)
    return origin + urlunsplit(("", "", parts.path, parts.query, ""))


def site_of(origin: str) -> str:
    """The origin's host without `http(s)://` and `www.`; the origin itself if it has a port."""
    parts = urlsplit(origin)
    if parts.port is not None:
        return origin
    return (parts.hostname or "").removeprefix("www.")


def has_view_query(address: str) -> bool:
    """Whether the query selects a search, an order, an action or a day of a calendar."""
    query = urlsplit(address).query
    return bool(query) and any(_VIEW.fullmatch(unquote(part.partition("=")[0])) for part in query.split("&"))


def is_binary(address: str) -> bool:
    """Whether the file suffix is that of an image, an archive, a style sheet or another non-page."""
    return bool(_BINARY.search(urlsplit(address).path))


def is_markdown(address: str) -> bool:
    """Whether the address names a Markdown file."""
    return bool(_MARKDOWN.search(urlsplit(address).path))


def html_candidates(address: str) -> tuple[str, ...]:
    """The possible addresses of the HTML page for a Markdown file of llms.txt: `/page.md` is of `/page`."""
    parts = urlsplit(address)
    stem = _MARKDOWN.sub("", parts.path)
    if re.search(r"\.html?$", stem, re.IGNORECASE):
        paths = [stem]
    elif re.search(r"/(index|readme)$", stem, re.IGNORECASE):
        paths = [stem.rpartition("/")[0] + "/"]
    else:
        paths = [stem, stem + ".html"]
    return tuple(urlunsplit((parts.scheme, parts.netloc, path, "", "")) for path in paths)


def start_folder(address: str) -> str:
    """The default prefix for a start URL.

    A trailing slash makes it that folder. A page file (`intro.html`) means its folder, and so does a last segment below
    the first (`/docs/intro` means `/docs/`), unless it names a version or a locale. A single segment (`/docs`) means
    itself.
    """
    parts = urlsplit(address)
    path = parts.path
    segments = path.strip("/").split("/")
    folder = path.rpartition("/")[0] + "/"
    if _PAGE_SUFFIX.search(path) or (
        not path.endswith("/") and len(segments) > 1 and not looks_like_variant(segments[-1])
    ):
        path = folder
    return urlunsplit((parts.scheme, parts.netloc, path.rstrip("/"), "", ""))


_VARIANT = re.compile(
    r"v?\d+(\.(\d+|x))*([-.]?(alpha|beta|rc|a|b|pre|dev|x)\.?\d*)?|v?\d+\.x|latest|stable|current|next|dev|develop|main|"
    r"master|canary|nightly|edge|preview|unstable|[a-z]{2}([-_]([a-z]{2}|[a-z]{4}))?",
    re.IGNORECASE,
)


def looks_like_variant(segment: str) -> bool:
    """Whether a path segment may name a version or a locale."""
    return bool(_VARIANT.fullmatch(unquote(segment)))


def is_web_address(text: str) -> bool:
    """Whether a text is an absolute http or https URL."""
    try:
        return canonical_url(text).startswith("http")
    except InputError:
        return False
