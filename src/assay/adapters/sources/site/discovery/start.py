"""The first requests of a crawl: robots.txt, the start page, and a probe for the site's soft 404 page."""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime

from assay.adapters.sources.site.addresses import at_origin, origin_of, resolve, site_of
from assay.adapters.sources.site.crawling.soft_404 import probe_address
from assay.adapters.sources.site.discovery.robots import MAX_BYTES, Robots
from assay.adapters.sources.site.http.responses import FetchError
from assay.adapters.sources.site.http.retrying import REDIRECTS, FetchedFile, RetryingFetcher
from assay.adapters.sources.site.options import SiteRequest
from assay.adapters.sources.site.pages.facts import PageHead, read_html_facts
from assay.adapters.sources.site.scope import CrawlScope
from assay.errors import SourceError, SourceUnavailable

logger = logging.getLogger(__name__)

_HTML = frozenset({"text/html", "application/xhtml+xml", ""})


@dataclass(frozen=True, slots=True)
class CrawlStart:
    """The facts known before the first page is read.

    head: of the start page if it is HTML. robots: by origin. soft_404_gist: gist of the page that the site sends for a
    missing address; "" if it sends a 404.
    """

    scope: CrawlScope
    head: PageHead | None
    robots: dict[str, Robots]
    soft_404_gist: str

    @property
    def is_single_page(self) -> bool:
        """Whether the site sends its start page for missing addresses too."""
        return bool(self.soft_404_gist) and self.head is not None and self.head.facts.gist == self.soft_404_gist


@dataclass(frozen=True, slots=True)
class _StartPage:
    address: str
    fetched: FetchedFile | None


def read_start(request: SiteRequest, fetcher: RetryingFetcher) -> CrawlStart:
    """Fetch robots.txt, the start page and the probe.

    Raises SourceError when the site cannot be read, ConfigurationError for an invalid scope.
    """
    given = request.start
    robots = _fetch_robots(origin_of(given), fetcher) if request.politeness.robots else Robots("")
    if not robots.allows(given):
        raise SourceError(
            f"robots.txt of {origin_of(given)} disallows {given} for crawlers.",
            hint="If the site is yours, allow the user agent `Assay` there, or set robots to false for this source.",
        )
    start = _fetch_start_page(given, fetcher, request)
    scope = CrawlScope(start.address, request.scope)
    rules = {origin_of(given): robots}
    if request.politeness.robots:
        rules |= {origin: _fetch_robots(origin, fetcher) for origin in scope.origins if origin not in rules}
    else:
        rules |= dict.fromkeys(scope.origins, robots)
    head = read_page_head(start.fetched) if start.fetched is not None else None
    crawl_start = CrawlStart(scope, head, rules, _soft_404_gist(scope, rules, fetcher, request.limits.max_page_bytes))
    if crawl_start.is_single_page:
        logger.warning(
            "%s: this site sends its start page for every address. Its text may be rendered by JavaScript, "
            "which is not run, or it may need a login.",
            request.name,
        )
    return crawl_start


def single_page_error(request: SiteRequest, crawl_start: CrawlStart, lost: int) -> SourceError:
    """The error for a site that had pages and now sends the same page for every address.

    lost: how many pages of the live generation are affected.
    """
    title = (
        f", with the title {crawl_start.head.facts.title!r}"
        if crawl_start.head and crawl_start.head.facts.title
        else ""
    )
    return SourceUnavailable(
        f"{request.name}: {crawl_start.scope.start} sends the same page for every address{title}, "
        f"also for {lost} indexed {'page' if lost == 1 else 'pages'}.",
        hint="It may need a login or be closed for maintenance. The live index is unchanged; run "
        "again when the site works, or give the source a request header such as Authorization. If the site now has "
        "only this page, run with --rebuild.",
    )


def read_page_head(fetched: FetchedFile) -> PageHead | None:
    """Parse the head of a fetched page; None if it is not HTML."""
    if not fetched.ok or fetched.media not in _HTML:
        return None
    return read_html_facts(fetched.text(html=True), fetched.address, fetched.response.headers, datetime.now(UTC))


def _fetch_start_page(given: str, fetcher: RetryingFetcher, request: SiteRequest) -> _StartPage:
    """Fetch the start page. Raises SourceError if the site does not respond or redirects to another site."""
    address = given
    for _ in range(10):
        try:
            fetched = fetcher.fetch(address, request.limits.max_page_bytes, max_redirects=0)
        except FetchError as failure:
            if failure.from_server:  # the server is up: its other pages may work
                logger.warning("%s cannot be read: %s.", address, failure.reason)
                return _StartPage(address, None)
            raise SourceUnavailable(
                f"{address} cannot be read: {failure.reason}.",
                hint="Check the address and the network. The live index is unchanged.",
            ) from None
        status = fetched.response.status
        if status not in REDIRECTS:
            return _StartPage(address, _refuse_login(fetched, given))
        target = resolve(address, fetched.response.headers.get("location", ""))
        if target is None or site_of(origin_of(target)) != site_of(origin_of(given)):
            raise SourceError(
                f"{given} redirects to another site: {target or 'not an http or https URL'}.",
                hint="If that is the documentation, use its address as the start URL.",
            )
        address = target
    raise SourceError(f"{given} redirects in a loop.", hint="Give the address of a page that opens in a browser.")


def _refuse_login(fetched: FetchedFile, given: str) -> FetchedFile:
    status = fetched.response.status
    if status in {401, 403, 407}:
        raise SourceError(
            f"{given} needs a login, or blocks crawlers ({status}).",
            hint="Give the source a request header such as Authorization, or allow the user agent `Assay`.",
        )
    if not fetched.ok:
        logger.warning("%s returned %d; pages are searched in sitemaps and llms.txt only.", given, status)
    return fetched


def _fetch_robots(origin: str, fetcher: RetryingFetcher) -> Robots:
    address = f"{origin}/robots.txt"
    try:
        fetched = fetcher.fetch(address, MAX_BYTES, max_redirects=5, truncate=True)
    except FetchError as failure:
        if failure.forbidden:
            logger.warning("%s is not read: %s. Every address is treated as allowed.", address, failure.reason)
            return Robots("")
        if not failure.from_server:
            raise SourceUnavailable(
                f"The site at {origin} does not respond: {failure.reason}.",
                hint="Check the address (http or https, and the port) and the network. The live index is unchanged.",
            ) from None
        raise SourceUnavailable(
            f"{address} cannot be read ({failure.reason}), so it is unknown which pages may be crawled.",
            hint="Run again when the site responds (RFC 9309: until then every page is disallowed), or set robots to "
            "false for this source if the site is yours.",
        ) from None
    text = fetched.text(html=False)
    if not fetched.ok or text.lstrip().startswith(
        "<"
    ):  # HTML; the media type does not tell: some servers send text/html for every file
        return Robots("")
    if len(fetched.response.body) >= MAX_BYTES:
        logger.warning("%s is longer than %d bytes; the rest is ignored.", address, MAX_BYTES)
        text = text[: text.rfind("\n") + 1]
    return Robots(text)


def _soft_404_gist(scope: CrawlScope, rules: dict[str, Robots], fetcher: RetryingFetcher, most: int) -> str:
    address = probe_address(scope)
    if not rules[origin_of(address)].allows(address):
        return ""
    try:
        head = read_page_head(fetcher.fetch(address, most, max_redirects=0))
    except FetchError:
        return ""
    return head.facts.gist if head is not None else ""


def is_served_at_start(
    addresses: list[str], scope: CrawlScope, crawl_start: CrawlStart, fetcher: RetryingFetcher, most: int
) -> bool:
    """Whether pages listed under another origin are also served at the start URL's origin."""
    for address in addresses[:3]:
        try:
            fetched = fetcher.fetch(at_origin(address, scope.origin), most)
        except FetchError:
            continue
        head = read_page_head(fetched)
        if head is None or origin_of(fetched.address) != scope.origin:
            continue
        if not crawl_start.soft_404_gist or head.facts.gist != crawl_start.soft_404_gist:
            return True
    return False
