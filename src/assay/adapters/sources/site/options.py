"""What a person decides about reading a site: where it ends, how much of it is read, and how gently."""

import re
from dataclasses import dataclass, field

from assay.adapters.sources.site.addresses import spelled
from assay.errors import ConfigurationError, InputError
from assay.model.ids import canonical_url


@dataclass(frozen=True, slots=True)
class SiteScope:
    """Which addresses belong to a site.

    include: URL prefixes, with or without a host; empty for the folder of the start URL. One of another host brings
        that host into the scope.
    exclude: URL prefixes that are left out, also within those. A prefix ends at the border of a path segment: `/docs`
        holds `/docs` and `/docs/a`, not `/docs-old`.
    sitemaps: addresses of sitemaps besides those that are found.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SiteLimits:
    """Where reading a site ends; what is left out for it is said.

    pages: pages that are fetched. depth: links from the start page or a sitemap.
    page_bytes: of one page, decoded. total_bytes: of all that is received, encoded as it came.
    seconds: of one reading. page_seconds: of one page, from the request to its last byte.
    read_seconds: without a byte. query_pages: addresses of one path that differ in their query only.
    sitemaps: files. sitemap_bytes: of one of them, decoded.
    """

    pages: int = 20_000
    depth: int = 30
    page_bytes: int = 5_000_000
    total_bytes: int = 2_000_000_000
    seconds: float = 2 * 3600.0
    page_seconds: float = 60.0
    read_seconds: float = 20.0
    query_pages: int = 20
    sitemaps: int = 500
    sitemap_bytes: int = 64_000_000

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            if getattr(self, name) <= 0:
                raise ConfigurationError(f"The limit {name} of a site is {getattr(self, name)}.", hint="It is over 0.")


@dataclass(frozen=True, slots=True)
class Politeness:
    """How gently a site is asked.

    connections: requests to one host at the same time; None for 4, or 8 where the start URL is of a private network.
    delay: seconds between the beginnings of two requests to one host; a crawl-delay of robots.txt that is longer wins.
    retries: how often a page that failed for the moment is asked for again.
    first_wait, longest_wait: seconds before the first of them, doubled each time, and the most that a host's
        Retry-After or crawl-delay is followed.
    patience: seconds of waiting that a site may ask for in one reading, all together.
    robots: whether robots.txt and `noindex` are obeyed; false is for a site of one's own.
    resume_hours: a reading that was cut off within so many hours goes on where it was.
    """

    connections: int | None = None
    delay: float = 0.0
    retries: int = 3
    first_wait: float = 0.5
    longest_wait: float = 120.0
    patience: float = 900.0
    robots: bool = True
    resume_hours: float = 24.0


@dataclass(frozen=True, slots=True)
class Variants:
    """Which version and locale of a site are searched by default; None: the site's own."""

    current_version: str | None = None
    default_locale: str | None = None


@dataclass(frozen=True, slots=True)
class SiteRequest:
    """All that decides a reading. headers: sent to the origin of the start URL alone, and never shown."""

    start_url: str
    name: str
    scope: SiteScope
    limits: SiteLimits
    politeness: Politeness
    variants: Variants
    headers: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def start(self) -> str:
        """The start URL as every address is spelled here. Raises InputError for one that cannot be asked for."""
        try:
            start = spelled(self.start_url)
        except ValueError:
            start = None
        if start is None:
            raise InputError(
                "The start URL cannot be asked for.", hint="It looks like https://docs.example.org/guide/."
            )
        return start


def checked_start(url: str) -> str:
    """A start URL without its fragment. Raises InputError for one that a site cannot be read from."""
    place = url.partition("//")[2] or url
    if "@" in re.split(r"[/?#\\]", place, maxsplit=1)[0]:
        raise InputError(
            "The start URL holds a user or a password.",
            hint="Credentials in an address end in logs; give them as a request header (Authorization) instead.",
        )
    if canonical_url(url).startswith("file:"):
        raise InputError(f"A site is read over http or https, not {url!r}.", hint="Give a folder's path for files.")
    return url.strip().partition("#")[0]


def checked_headers(headers: dict[str, str]) -> dict[str, str]:
    """Headers that HTTP can carry. Raises ConfigurationError without showing a value."""
    for name, value in headers.items():
        if not (name and name.isascii() and name.replace("-", "").replace("_", "").isalnum()):
            raise ConfigurationError(f"{name!r} cannot be the name of a request header.", hint="Use letters and `-`.")
        if not (value.isascii() and value.isprintable()):
            raise ConfigurationError(
                f"The request header {name} holds a line break or a character that is not ASCII.",
                hint="Copy its value again.",
            )
        if name.lower() in {"host", "content-length", "transfer-encoding", "connection"}:
            raise ConfigurationError(f"The request header {name} is set by the connection.", hint="Leave it out.")
    return dict(headers)
