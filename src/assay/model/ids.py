"""Ids derived from content: the same page has the same ids on every machine and in every run."""

import hashlib
import re
import uuid
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from assay.errors import InputError

NAMESPACE = uuid.UUID("5f0d6c2e-6f3b-5d55-9a5e-9d1c1a6f7b10")
"""The UUIDv5 namespace of all ids; changing it changes every id."""

SLUG_LIMIT = 100
"""Seed 003 stores a slug in VARCHAR(100)."""

PLACEHOLDER_HOST = "docs.invalid"
"""The host of pages without a known base URL (RFC 2606: no such host can exist)."""

WEB_PORTS = {"http": 80, "https": 443}
"""The default port of each scheme."""


def content_hash(text: str) -> str:
    """SHA-256 of the UTF-8 text, as 64 lower-case hex digits."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def document_id(url: str) -> str:
    """UUIDv5 of a document's canonical URL."""
    return str(uuid.uuid5(NAMESPACE, f"document\n{url}"))


def chunk_id(url: str, text_hash: str, ordinal: int) -> str:
    """UUIDv5 of the canonical URL, the text's SHA-256 and the ordinal (from 0) among equal texts of that page."""
    return str(uuid.uuid5(NAMESPACE, f"chunk\n{url}\n{text_hash}\n{ordinal}"))


def query_embedding_id(embedder_fingerprint: str, text: str) -> str:
    """UUIDv5 of a model's identity and a query's text: stable across runs."""
    return str(uuid.uuid5(NAMESPACE, f"query\n{embedder_fingerprint}\n{text}"))


def is_placeholder(url: str) -> bool:
    """Whether a URL has the placeholder host."""
    return urlsplit(url).hostname == PLACEHOLDER_HOST


def canonical_url(url: str) -> str:
    """Normalize a URL.

    Lower-cases scheme and host, removes the default port, the fragment, dot segments, doubled slashes and a trailing
    slash except the root's, and escapes the path uniformly. The query is unchanged.

    Raises InputError for anything that is not an absolute http(s) or file URL.
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as error:
        raise InputError(f"Not a valid URL: {url!r} ({error}).", hint="Write it as https://docs.example.org.") from None
    scheme = parts.scheme.lower()
    if scheme not in {"http", "https", "file"} or (scheme != "file" and not parts.hostname):
        raise InputError(f"Not an absolute http(s) URL: {url!r}.", hint="Write it as https://docs.example.org.")
    host = (parts.hostname or "").lower()
    if ":" in host:
        host = f"[{host}]"
    netloc = host if port is None or port == WEB_PORTS.get(scheme) else f"{host}:{port}"
    return urlunsplit((scheme, netloc, _canonical_path(parts.path), parts.query, ""))


def _canonical_path(path: str) -> str:
    """Resolve dot segments, collapse doubled slashes, escape uniformly, and drop the trailing slash."""
    segments: list[str] = []
    for segment in path.split("/"):
        name = unquote(segment)  # "%2e%2e" is a dot segment too
        if name == "..":
            if segments:
                segments.pop()
        elif name not in {"", "."}:
            segments.append(quote(name, safe="!$&'()*+,;=:@-._~"))
    return "/" + "/".join(segments)


def slug_from_path(path: str) -> str:
    """The last two parts of a source path joined by `-`, without its suffix, at most 100 characters.

    `docs/chapter-1/index.md` gives `chapter-1-index` (seed 003).
    """
    stem = re.sub(r"\.(mdx?|markdown|html?|rst|txt)$", "", path.strip("/"), flags=re.IGNORECASE)
    parts = [part for part in stem.split("/") if part]
    cleaned = [re.sub(r"[^\w.-]+", "-", unquote(part)).strip("-") for part in parts[-2:]]
    return "-".join(part for part in cleaned if part)[-SLUG_LIMIT:].strip("-") or "index"
