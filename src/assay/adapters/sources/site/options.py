"""Options of a site source: its scope, limits and politeness."""

import re
from dataclasses import dataclass, field

from assay.adapters.sources.site.addresses import normalize_url
from assay.errors import ConfigurationError, InputError
from assay.model.ids import canonical_url


@dataclass(frozen=True, slots=True)
class SiteScope:
    """The addresses that belong to a site.

    include: URL prefixes, with or without a host; empty for the folder of the start URL. A prefix with another host
        adds that host to the scope.
    exclude: URL prefixes to leave out. A prefix ends at a path segment: `/docs` matches `/docs` and `/docs/a`, not
        `/docs-old`.
    sitemaps: addresses of additional sitemaps.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SiteLimits:
    """Limits of a crawl; what they leave out is reported.

    max_pages: fetched pages. max_depth: links from the start page or a sitemap.
    max_page_bytes: of one decoded page. max_total_bytes: of all bodies as transferred.
    max_seconds: of one crawl. page_seconds: of one page, from the request to its last byte.
    read_seconds: without a byte. query_pages: addresses with one path that differ only in the query.
    sitemap_files: number of sitemaps. sitemap_bytes: of one decoded sitemap.
    """

    max_pages: int
    max_depth: int
    max_page_bytes: int
    max_total_bytes: int
    max_seconds: float
    page_seconds: float = 60.0
    read_seconds: float = 20.0
    query_pages: int = 20
    sitemap_files: int = 500
    sitemap_bytes: int = 64_000_000


@dataclass(frozen=True, slots=True)
class Politeness:
    """Politeness towards a site.

    concurrency: concurrent requests to one host; None for 4, or 8 if the start URL is in a private network.
    delay_seconds: between the starts of two requests to one host; a longer crawl-delay of robots.txt wins.
    retries: of a page that failed temporarily.
    first_retry_seconds: wait before the first retry; it doubles with each.
    max_wait_seconds: longest wait before a retry, and longest Retry-After or crawl-delay that is observed.
    max_total_wait_seconds: sum of the pauses that a site may ask for in one crawl.
    robots: obey robots.txt and `noindex`; false is for one's own site.
    resume_hours: an interrupted crawl is resumed within this time.
    """

    concurrency: int | None
    delay_seconds: float
    retries: int
    robots: bool
    first_retry_seconds: float = 0.5
    max_wait_seconds: float = 120.0
    max_total_wait_seconds: float = 900.0
    resume_hours: float = 24.0


@dataclass(frozen=True, slots=True)
class DefaultVariant:
    """The version and locale searched by default; None: the site's own."""

    current_version: str | None = None
    default_locale: str | None = None


@dataclass(frozen=True, slots=True)
class SiteRequest:
    """Everything that defines a crawl.

    start_url: a page or folder, over http or https. name: of the source.
    headers: sent only to the start URL's origin, and never shown.
    """

    start_url: str
    name: str
    scope: SiteScope
    limits: SiteLimits
    politeness: Politeness
    variants: DefaultVariant
    headers: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def start(self) -> str:
        """The normalized start URL. Raises InputError if it is invalid."""
        start = normalize_url(self.start_url)
        if start is None:
            raise InputError(
                "The start URL is invalid.", hint="Use an address such as https://docs.example.org/guide/."
            )
        return start


def validated_start(url: str) -> str:
    """The start URL without its fragment. Raises InputError if it is unusable."""
    place = url.partition("//")[2] or url
    if "@" in re.split(r"[/?#\\]", place, maxsplit=1)[0]:
        raise InputError(
            "The start URL contains a user name or a password.",
            hint="Addresses are logged; use a request header (Authorization) for credentials.",
        )
    if canonical_url(url).startswith("file:"):
        raise InputError(f"A site is read over http or https, not {url!r}.", hint="Give a folder's path for files.")
    return url.strip().partition("#")[0]


def validated_headers(headers: dict[str, str]) -> dict[str, str]:
    """Check request headers. Raises ConfigurationError, without showing a value."""
    for name, value in headers.items():
        if not (name and name.isascii() and name.replace("-", "").replace("_", "").isalnum()):
            raise ConfigurationError(f"{name!r} cannot be the name of a request header.", hint="Use letters and `-`.")
        if not (value.isascii() and value.isprintable()):
            raise ConfigurationError(
                f"The request header {name} contains a line break or a non-ASCII character.",
                hint="Copy its value again.",
            )
        if name.lower() in {"host", "content-length", "transfer-encoding", "connection"}:
            raise ConfigurationError(f"The request header {name} is set by the connection.", hint="Leave it out.")
    return dict(headers)
