"""What asking for one page comes to: runs in the threads that fetch, touches nothing that is shared."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from assay.adapters.embedders.remote.retries import is_transient, retry_after_seconds
from assay.adapters.sources.site.addresses import is_markdown, resolve
from assay.adapters.sources.site.http.client import Answer, Bounds, Client, NoPage
from assay.adapters.sources.site.http.decoding import decoded
from assay.adapters.sources.site.pages import facts
from assay.adapters.sources.site.pages.facts import PageFacts, read_html_facts, read_markdown_facts
from assay.adapters.sources.site.store import StoredPage, packed
from assay.model.documents import MediaType

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})
_UNTYPED = frozenset({"", "application/octet-stream", "text/plain", "unknown/unknown", "application/unknown"})
_LOOKS_HTML = re.compile(
    rb"(\xef\xbb\xbf)?\s*+(<!--((?!-->).){0,2000}+-->\s*+){0,9}+<(!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_TOO_LONG = "it is too long"
_SUCCESS = frozenset({200, 203})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Came(StrEnum):
    """What asking for a page came to.

    gone: the site says that there is no such page. refused: it does not give it to us. busy: not at this moment, and
    another try may go better. broken: neither now nor in a minute.
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
class Fetch:
    """A page to ask for.

    known: what is kept of it. order: its place among all that was asked for; outcomes are taken in that order.
    """

    key: str
    address: str
    depth: int
    kinds: int
    tries: int = 0
    hops: int = 0
    known: StoredPage | None = None
    order: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it.

    detail: the target of a redirect, or the reason in the words of a report.
    page, links, body: of a page that came, links and body packed. targets: its links.
    retry_after: seconds that the server asks for. unreachable: not even a connection came about.
    received: bytes of the body as they came.
    """

    job: Fetch
    came: Came
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


def fetch_page(client: Client, job: Fetch, bounds: Bounds) -> Outcome:
    """Ask for a page once. Never raises for what a site does."""
    conditions = {}
    if job.known is not None and job.known.served_at == job.address:
        if job.known.etag:
            conditions["If-None-Match"] = job.known.etag
        if job.known.modified:
            conditions["If-Modified-Since"] = job.known.modified
    try:
        answer = client.get(
            job.address, bounds, lambda status, head: _refusal(job.address, status, head, bounds), conditions
        )
    except NoPage as failure:
        if failure.forbidden:
            return Outcome(job, Came.EXCLUDED, failure.reason)
        came = Came.BUSY if failure.passing else Came.BROKEN
        return Outcome(job, came, failure.reason, unreachable=failure.unreachable, received=failure.received)
    return _understood(job, answer, bool(conditions))


def _refusal(address: str, status: int, headers: Mapping[str, str], bounds: Bounds) -> str:
    """Why the body of an answer is not read."""
    if status not in _SUCCESS:
        return "no success"
    media = _media(headers)
    if media not in _HTML | _MARKDOWN | _UNTYPED:
        return f"it is no page: {media[:80]}"
    if media == "text/plain" and not is_markdown(address):
        return "it is no page: text/plain"
    if headers.get("content-disposition", "").lower().startswith("attachment"):
        return "it is no page: a download"
    length = headers.get("content-length", "")
    if length.isdigit() and int(length) > bounds.bytes and not headers.get("content-encoding"):
        return f"{_TOO_LONG}: {int(length):,} bytes; the limit is {bounds.bytes:,}"
    return ""


def _media(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _understood(job: Fetch, answer: Answer, conditional: bool) -> Outcome:
    if answer.status in _SUCCESS and not answer.refusal:
        return _page(job, answer)
    came, detail = _meaning(job, answer, conditional)
    retry_after = None
    if came is Came.BUSY:
        retry_after = retry_after_seconds(answer.headers.get("retry-after"), datetime.now(UTC))
    return Outcome(job, came, detail, retry_after=retry_after, status=answer.status, received=answer.received)


def _meaning(job: Fetch, answer: Answer, conditional: bool) -> tuple[Came, str]:
    """What an answer without a page means, and its detail."""
    status = answer.status
    if status in _SUCCESS:
        return (Came.BROKEN if answer.refusal.startswith(_TOO_LONG) else Came.EXCLUDED), answer.refusal
    if status == 304:
        reason = "the server says 304 (not modified) to a request without a condition"
        return (Came.UNCHANGED, "") if conditional else (Came.BROKEN, reason)
    if status in _REDIRECTS:
        target = resolve(job.address, answer.headers.get("location", ""))
        reason = f"redirects ({status}) to what is no address of the web"
        return (Came.EXCLUDED, reason) if target is None else (Came.MOVED, target)
    return _refused(status)


def _refused(status: int) -> tuple[Came, str]:
    if status in {404, 410}:
        came = Came.GONE
    elif status == 202 or (status >= 400 and is_transient(status)):
        came = Came.BUSY  # 202 is what guards against robots answer while they think
    elif status >= 500:
        came = Came.BROKEN
    elif status >= 400:
        came = Came.REFUSED
    else:
        return Came.EXCLUDED, f"the server answers {status}, without a page"
    return came, f"the server says {status}" + (", it wants a login" if status in {401, 407} else "")


def looks_like_html(body: bytes) -> bool:
    """Whether a body begins as HTML does."""
    return _LOOKS_HTML.match(body[:4096]) is not None


def _page(job: Fetch, answer: Answer) -> Outcome:
    media = _media(answer.headers)
    html = media in _HTML or (media not in _MARKDOWN and looks_like_html(answer.body))
    if not html and not (media in _MARKDOWN or is_markdown(job.address)):
        return Outcome(job, Came.EXCLUDED, "it is no page: its type is not said, and it does not look like HTML")
    text = decoded(answer.body, answer.headers.get("content-type", ""), html=html)
    now = datetime.now(UTC)
    targets: tuple[str, ...] = ()
    if html:
        read = read_html_facts(text, job.address, answer.headers, now)
        page_facts, targets = read.facts, read.links
    else:
        page_facts = read_markdown_facts(text, answer.headers, now)
    page = StoredPage(
        key=job.key,
        served_at=job.address,
        etag=answer.headers.get("etag", "")[:500],
        modified=answer.headers.get("last-modified", "")[:100],
        media=(MediaType.HTML if html else MediaType.MARKDOWN).value,
        body_hash=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(),
        facts=page_facts.as_json(),
        revision=facts.REVISION,
    )
    return Outcome(
        job,
        Came.PAGE,
        page=page,
        page_facts=page_facts,
        targets=targets,
        links=packed("\n".join(targets)) if targets else b"",
        body=packed(text),
        status=answer.status,
        received=answer.received,
    )
