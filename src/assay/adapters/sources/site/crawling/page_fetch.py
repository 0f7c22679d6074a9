"""Fetching one page. Runs in worker threads and shares no state."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from assay.adapters.remote.retries import is_transient, retry_after_seconds
from assay.adapters.sources.site.addresses import is_markdown, resolve
from assay.adapters.sources.site.http.decoding import decode_text, is_garbled
from assay.adapters.sources.site.http.responses import FetchError, FetchLimits, Response, accept_success
from assay.adapters.sources.site.http.retrying import REDIRECTS
from assay.adapters.sources.site.pages import facts
from assay.adapters.sources.site.pages.facts import PageFacts, read_html_facts, read_markdown_facts
from assay.adapters.sources.site.store import StoredPage, compress
from assay.model.documents import MediaType, RawPage
from assay.model.ids import slug_from_path
from assay.ports import PageReader

if TYPE_CHECKING:  # workers do not load the network
    from assay.adapters.sources.site.http.transport import Transport

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})
_UNTYPED = frozenset({"", "application/octet-stream", "text/plain", "unknown/unknown", "application/unknown"})
_LOOKS_HTML = re.compile(
    rb"(\xef\xbb\xbf)?\s*+(<!--((?!-->).){0,2000}+-->\s*+){0,9}+<(!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_TOO_LONG = "the page is too long"
_SUCCESS = frozenset({200, 203})


class FetchOutcome(StrEnum):
    """The outcome of fetching a page.

    gone: the page does not exist. refused: the server denies access. busy: a retry may succeed. broken: a retry would
    fail too.
    """

    PAGE = "page"
    UNCHANGED = "unchanged"
    MOVED = "moved"
    GONE = "gone"
    EXCLUDED = "excluded"
    REFUSED = "refused"
    BUSY = "busy"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class FetchJob:
    """A page to fetch.

    written: its address as it was found first; "" if that is address. known: its stored copy.
    order: its position among all jobs; results are processed in that order.
    """

    key: str
    address: str
    depth: int
    kinds: int
    tries: int = 0
    redirects: int = 0
    written: str = ""
    known: StoredPage | None = None
    order: int = 0


@dataclass(frozen=True, slots=True)
class FetchResult:
    """The result of a job.

    detail: the target of a redirect, or the reason for the report.
    page, links, body: of a fetched page; links and body compressed; no body if the page can be read again.
    targets: its links.
    retry_after: seconds that the server asks to wait. unreachable: no connection was made.
    received: bytes of the encoded body.
    document: of the page, if it was read early (see PageReader).
    """

    job: FetchJob
    outcome: FetchOutcome
    detail: str = ""
    page: StoredPage | None = None
    page_facts: PageFacts | None = None
    targets: tuple[str, ...] = ()
    links: bytes = b""
    body: bytes = field(default=b"", repr=False)
    retry_after: float | None = None
    status: int = 0
    unreachable: bool = False
    received: int = 0
    document: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page that is not parsed yet.

    text: decoded, with secrets masked, which only this process knows.
    """

    job: FetchJob
    response: Response
    text: str
    is_html: bool
    is_local: bool

    def parse(self, read: PageReader | None = None) -> FetchResult:
        """The page's facts and links, and its document by `read`."""
        return _parsed(self, read)


def fetch_page(client: "Transport", job: FetchJob, limits: FetchLimits) -> FetchResult:
    """Fetch and parse a page once. A site's errors are in the result, never raised."""
    fetched = get_page(client, job, limits)
    return fetched.parse() if isinstance(fetched, FetchedPage) else fetched


def get_page(client: "Transport", job: FetchJob, limits: FetchLimits) -> FetchedPage | FetchResult:
    """Fetch a page once; the result if there is nothing to parse."""
    conditions = {}
    # Without a stored copy, a page whose facts an older version of Assay read is read again.
    is_reusable = job.known is not None and (job.known.revision == facts.REVISION or not client.is_local)
    if job.known is not None and job.known.served_at == job.address and is_reusable:
        if job.known.etag:
            conditions["If-None-Match"] = job.known.etag
        if job.known.modified:
            conditions["If-Modified-Since"] = job.known.modified
    try:
        response = client.get(
            job.address, limits, lambda status, head: _body_refusal(job.address, status, head, limits), conditions
        )
    except FetchError as failure:
        if failure.forbidden:
            return FetchResult(job, FetchOutcome.EXCLUDED, failure.reason)
        outcome = FetchOutcome.BUSY if failure.transient else FetchOutcome.BROKEN
        return FetchResult(job, outcome, failure.reason, unreachable=failure.unreachable, received=failure.received)
    return _interpret(job, response, bool(conditions), is_local=client.is_local)


def fetch_text(client: "Transport", page: StoredPage, max_bytes: int) -> str | None:
    """The text of a fetched page again, from a local transport; None if it has changed."""
    limits = FetchLimits(seconds=0.0, read_seconds=0.0, bytes=max_bytes)
    try:
        response = client.get(page.served_at, limits, accept_success, {})
    except FetchError:
        return None
    if response.headers.get("etag") != page.etag:
        return None
    is_html = page.media == MediaType.HTML.value
    return decode_text(response.body, response.headers.get("content-type", ""), html=is_html)


def _body_refusal(address: str, status: int, headers: Mapping[str, str], limits: FetchLimits) -> str:
    """Why the body of this response is not read; "" to read it."""
    if status not in _SUCCESS:
        return "no success"
    media = _media(headers)
    if media not in _HTML | _MARKDOWN | _UNTYPED:
        return f"not a page: {media[:80]}"
    if media == "text/plain" and not is_markdown(address):
        return "not a page: text/plain"
    if headers.get("content-disposition", "").lower().startswith("attachment"):
        return "not a page: a download"
    length = headers.get("content-length", "")
    if length.isdigit() and int(length) > limits.bytes and not headers.get("content-encoding"):
        return f"{_TOO_LONG}: {int(length):,} bytes; the limit is {limits.bytes:,}"
    return ""


def _media(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _interpret(job: FetchJob, response: Response, conditional: bool, *, is_local: bool) -> FetchedPage | FetchResult:
    if response.status in _SUCCESS and not response.refusal:
        return _page(job, response, is_local=is_local)
    outcome, detail = _outcome_without_body(job, response, conditional)
    retry_after = None
    if outcome is FetchOutcome.BUSY:
        retry_after = retry_after_seconds(response.headers.get("retry-after"), datetime.now(UTC))
    return FetchResult(
        job, outcome, detail, retry_after=retry_after, status=response.status, received=response.received
    )


def _outcome_without_body(job: FetchJob, response: Response, conditional: bool) -> tuple[FetchOutcome, str]:
    """The outcome of a response without a usable body, and its detail."""
    status = response.status
    if status in _SUCCESS:
        return (
            FetchOutcome.BROKEN if response.refusal.startswith(_TOO_LONG) else FetchOutcome.EXCLUDED
        ), response.refusal
    if status == 304:
        reason = "the server returned 304 (not modified) to an unconditional request"
        return (FetchOutcome.UNCHANGED, "") if conditional else (FetchOutcome.BROKEN, reason)
    if status in REDIRECTS:
        target = resolve(job.address, response.headers.get("location", ""))
        reason = f"redirects ({status}) to an address that is not http or https"
        return (FetchOutcome.EXCLUDED, reason) if target is None else (FetchOutcome.MOVED, target)
    return _outcome_of_status(status)


def _outcome_of_status(status: int) -> tuple[FetchOutcome, str]:
    if status in {404, 410}:
        outcome = FetchOutcome.GONE
    elif status == 202 or (status >= 400 and is_transient(status)):
        outcome = FetchOutcome.BUSY  # bot protection returns 202 while it checks the client
    elif status >= 500:
        outcome = FetchOutcome.BROKEN
    elif status >= 400:
        outcome = FetchOutcome.REFUSED
    else:
        return FetchOutcome.EXCLUDED, f"the server returned {status} without a page"
    return outcome, f"the server returned {status}" + (", a login is needed" if status in {401, 407} else "")


def looks_like_html(body: bytes) -> bool:
    """Whether a body starts like HTML."""
    return _LOOKS_HTML.match(body[:4096]) is not None


def _page(job: FetchJob, response: Response, *, is_local: bool) -> FetchedPage | FetchResult:
    media = _media(response.headers)
    html = media in _HTML or (media not in _MARKDOWN and looks_like_html(response.body))
    if not html and not (media in _MARKDOWN or is_markdown(job.address)):
        return FetchResult(job, FetchOutcome.EXCLUDED, "not a page: it has no media type and does not look like HTML")
    text = decode_text(response.body, response.headers.get("content-type", ""), html=html)
    if is_garbled(text):
        return FetchResult(job, FetchOutcome.BROKEN, "its bytes are not text in the encoding that it declares")
    return FetchedPage(replace(job, known=None), replace(response, body=b""), text, html, is_local)


def _parsed(page: FetchedPage, read: PageReader | None) -> FetchResult:
    job, response, text = page.job, page.response, page.text
    now = datetime.now(UTC)
    targets: tuple[str, ...] = ()
    document = b""
    if page.is_html:
        head = read_html_facts(text, job.address, response.headers, now, with_gist=not page.is_local)
        page_facts, targets = head.facts, head.links
        if read is not None and not (page_facts.noindex or page_facts.refresh or page_facts.needs_browser):
            document = read(_early_page(job, text, page_facts), head.tree)
    else:
        page_facts = read_markdown_facts(text, response.headers, now)
    stored = StoredPage(
        key=job.key,
        served_at=job.address,
        etag=response.headers.get("etag", "")[:500],
        modified=response.headers.get("last-modified", "")[:100],
        media=(MediaType.HTML if page.is_html else MediaType.MARKDOWN).value,
        body_hash=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(),
        facts=page_facts.as_json(),
        revision=facts.REVISION,
    )
    return FetchResult(
        job,
        FetchOutcome.PAGE,
        page=stored,
        page_facts=page_facts,
        targets=targets,
        links=compress("\n".join(targets)) if targets else b"",
        body=b"" if page.is_local else compress(text),
        document=document,
        status=response.status,
        received=response.received,
    )


def _early_page(job: FetchJob, text: str, page_facts: PageFacts) -> RawPage:
    """An HTML page as it is known before the crawl has ended: everything that its text depends on."""
    path = urlsplit(job.key).path or "/"
    return RawPage(
        key=job.key,
        url=job.key,
        content=text,
        media_type=MediaType.HTML,
        source="",
        source_path=path,
        source_hash="",
        slug=slug_from_path(path),
        served_at=job.address,
        tags=page_facts.tags,
    )
