"""Where a reading begins: the start page, robots.txt, and what the site says of an address that is not there."""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime

from assay.adapters.sources.site.addresses import moved_to, origin_of, resolve, site_of
from assay.adapters.sources.site.crawling.soft_404 import probe_of
from assay.adapters.sources.site.discovery.robots import LONGEST, Robots
from assay.adapters.sources.site.http.client import NoPage
from assay.adapters.sources.site.http.decoding import decoded
from assay.adapters.sources.site.http.retrying import REDIRECTS, Asked, Asker
from assay.adapters.sources.site.options import SiteRequest
from assay.adapters.sources.site.pages.facts import ReadHead, read_html_facts
from assay.adapters.sources.site.scope import Scope
from assay.errors import SourceError, SourceUnavailable

logger = logging.getLogger(__name__)

_HTML = frozenset({"text/html", "application/xhtml+xml", ""})


@dataclass(frozen=True, slots=True)
class Beginning:
    """What is known before the first page is read.

    head: of the start page, where it is one. robots: by origin. missing: gist of the page that the site gives for an
    address that is not there; "" where it says 404, as it should.
    """

    scope: Scope
    head: ReadHead | None
    robots: dict[str, Robots]
    missing: str

    @property
    def is_one_page(self) -> bool:
        """Whether the start page is what the site gives for an address that is not there as well."""
        return bool(self.missing) and self.head is not None and self.head.facts.gist == self.missing


@dataclass(frozen=True, slots=True)
class _Start:
    address: str
    asked: Asked | None


def begin(request: SiteRequest, asker: Asker) -> Beginning:
    """Ask for what a reading begins with. Raises SourceError when the site cannot be read, ConfigurationError."""
    given = request.start
    robots = _robots(origin_of(given), asker) if request.politeness.robots else Robots("")
    if not robots.allows(given):
        raise SourceError(
            f"robots.txt of {origin_of(given)} does not let crawlers read {given}.",
            hint="If the site is yours, let the user agent `Assay` in there, or set robots to false for this source.",
        )
    start = _start(given, asker, request)
    scope = Scope(start.address, request.scope)
    rules = {origin_of(given): robots}
    if request.politeness.robots:
        rules |= {origin: _robots(origin, asker) for origin in scope.origins if origin not in rules}
    else:
        rules |= dict.fromkeys(scope.origins, robots)
    head = page_head(start.asked) if start.asked is not None else None
    beginning = Beginning(scope, head, rules, _missing(scope, rules, asker, request.limits.page_bytes))
    if beginning.is_one_page:
        logger.warning(
            "%s: the start page is what this site answers to every address; its text may be made by a browser's "
            "JavaScript, which is not run, or it wants a login.",
            request.name,
        )
    return beginning


def one_page_for_all(request: SiteRequest, beginning: Beginning, lost: int) -> SourceError:
    """What to say of a site that had pages and gives one and the same for every address now.

    lost: pages of the live generation that it gives it for.
    """
    title = f", with the title {beginning.head.facts.title!r}" if beginning.head and beginning.head.facts.title else ""
    return SourceUnavailable(
        f"{request.name}: {beginning.scope.start} gives one and the same page for every address{title}, "
        f"also for {lost} {'page' if lost == 1 else 'pages'} that the index has.",
        hint="It seems to want a login, or to be closed for maintenance. The index that is live stays as it is; run "
        "again when the site is well, or give the source a request header such as Authorization. If the site is but "
        "that page from now on, run with --rebuild.",
    )


def page_head(asked: Asked) -> ReadHead | None:
    """What a page that was asked for says of itself; None for what is no HTML page."""
    if not asked.ok or asked.media not in _HTML:
        return None
    text = decoded(asked.answer.body, asked.answer.headers.get("content-type", ""))
    return read_html_facts(text, asked.address, asked.answer.headers, datetime.now(UTC))


def _start(given: str, asker: Asker, request: SiteRequest) -> _Start:
    """The start page, where its redirects lead. Raises SourceError when the site does not answer, or sends us away."""
    address = given
    for _ in range(10):
        try:
            asked = asker.ask(address, request.limits.page_bytes, hops=0)
        except NoPage as failure:
            if failure.answered:  # the site is there: other pages of it may be well
                logger.warning("%s cannot be read: %s.", address, failure.reason)
                return _Start(address, None)
            raise SourceUnavailable(
                f"{address} cannot be read: {failure.reason}.",
                hint="Check the address and the network. The index that is live stays as it is.",
            ) from None
        status = asked.answer.status
        if status not in REDIRECTS:
            return _Start(address, _checked(asked, given))
        target = resolve(address, asked.answer.headers.get("location", ""))
        if target is None or site_of(origin_of(target)) != site_of(origin_of(given)):
            raise SourceError(
                f"{given} redirects to another site: {target or 'no address of the web'}.",
                hint="If that is the documentation, give its address as the start URL.",
            )
        address = target
    raise SourceError(f"{given} redirects in a circle.", hint="Give the address of a page that opens in a browser.")


def _checked(asked: Asked, given: str) -> Asked:
    status = asked.answer.status
    if status in {401, 403, 407}:
        raise SourceError(
            f"{given} wants a login, or does not let this program in ({status}).",
            hint="Give the source a request header such as Authorization, or let the user agent `Assay` in.",
        )
    if not asked.ok:
        logger.warning("%s answers %d; pages are looked for in sitemaps and llms.txt alone.", given, status)
    return asked


def _robots(origin: str, asker: Asker) -> Robots:
    address = f"{origin}/robots.txt"
    try:
        asked = asker.ask(address, LONGEST, hops=5, cut=True)
    except NoPage as failure:
        if failure.forbidden:
            logger.warning("%s is not read: %s. It is taken for one that allows everything.", address, failure.reason)
            return Robots("")
        if not failure.answered:
            raise SourceUnavailable(
                f"The site at {origin} does not answer: {failure.reason}.",
                hint="Check the address (http or https, and the port) and the network. What is live stays as it is.",
            ) from None
        raise SourceUnavailable(
            f"{address} cannot be read ({failure.reason}), so it is not known what may be read of the site.",
            hint="Run again when the site answers (RFC 9309: until then everything is forbidden), or set robots to "
            "false for this source if the site is yours.",
        ) from None
    text = decoded(asked.answer.body, asked.answer.headers.get("content-type", ""), html=False)
    if not asked.ok or text.lstrip().startswith("<"):  # a page: some servers call every file text/html
        return Robots("")
    if len(asked.answer.body) >= LONGEST:
        logger.warning("%s is longer than %d bytes; what follows is not read.", address, LONGEST)
        text = text[: text.rfind("\n") + 1]
    return Robots(text)


def _missing(scope: Scope, rules: dict[str, Robots], asker: Asker, most: int) -> str:
    address = probe_of(scope)
    if not rules[origin_of(address)].allows(address):
        return ""
    try:
        head = page_head(asker.ask(address, most, hops=0))
    except NoPage:
        return ""
    return head.facts.gist if head is not None else ""


def answers_here(addresses: list[str], scope: Scope, beginning: Beginning, asker: Asker, most: int) -> bool:
    """Whether pages that are listed at another origin are there at the start's."""
    for address in addresses[:3]:
        try:
            asked = asker.ask(moved_to(address, scope.origin), most)
        except NoPage:
            continue
        head = page_head(asked)
        if head is None or origin_of(asked.address) != scope.origin:
            continue
        if not beginning.missing or head.facts.gist != beginning.missing:
            return True
    return False
