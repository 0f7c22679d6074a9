"""The address that a built site says it is published at, in its sitemaps and canonical links."""

import re
from collections import Counter
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from assay.adapters.sources.built.files import SiteFiles
from assay.adapters.sources.built.host import locate
from assay.adapters.sources.site.addresses import normalize_url
from assay.adapters.sources.site.discovery.sitemaps import read_sitemap
from assay.errors import InputError

_SITEMAP = re.compile(r"(?:[^/]+/)?sitemap[^/]*\.xml", re.IGNORECASE)
_CANONICAL = re.compile(
    r"""<link\b(?=[^>]{0,500}?\brel=["']?canonical\b)[^>]{0,500}?\bhref=["']?([^"'\s>]{1,2000})""", re.IGNORECASE
)
_SITEMAPS, _ADDRESSES, _PAGES = 5, 50, 20
_HEAD_BYTES = 60_000
_MAX_BYTES = 10_000_000


def declared_base(files: SiteFiles) -> str | None:
    """The address of the site's root that most of its sitemaps' entries or canonical links agree on.

    None if there are none, or if they are not of the files of the site.
    """
    votes: Counter[str] = Counter()
    for address in (*_listed(files), *_canonical(files)):
        base = _base_of(files, address)
        if base is not None:
            votes[base] += 1
    if not votes:
        return None
    base, count = votes.most_common(1)[0]
    return base if 2 * count > votes.total() else None


def _listed(files: SiteFiles) -> Iterator[str]:
    for path in sorted(filter(_SITEMAP.fullmatch, files.paths))[:_SITEMAPS]:
        try:
            listing = read_sitemap(files.read(path, _MAX_BYTES), "", path, _MAX_BYTES)
        except InputError:
            continue
        yield from listing.pages[:_ADDRESSES]


def _canonical(files: SiteFiles) -> Iterator[str]:
    pages = files.pages
    for path in pages[:: max(1, len(pages) // _PAGES)][:_PAGES]:
        try:
            head = files.read(path, _MAX_BYTES)[:_HEAD_BYTES].decode("utf-8", "replace")
        except InputError:
            continue
        if (written := _CANONICAL.search(head)) is not None:
            yield written[1]


def _base_of(files: SiteFiles, address: str) -> str | None:
    """The address of the root, if the rest of this address is a page of the site; the shortest one."""
    known = normalize_url(address) if "://" in address else None
    if known is None:
        return None
    parts = urlsplit(known)
    segments = parts.path.split("/")[1:]
    for start in range(len(segments)):
        rest = unquote("/".join(segments[start:]))
        if locate(files.paths, rest) is not None:
            return f"{parts.scheme}://{parts.netloc}/" + "".join(f"{segment}/" for segment in segments[:start])
    return None
