"""What is refused or ended before it can do harm: foreign host names, one request too many, a body that never ends."""

import asyncio
import re
from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.adapters.telemetry.prometheus import Metrics
from assay.contracts.fields import shown
from assay.web.access import UNCOUNTED
from assay.web.errors import ADMIN_PREFIX, BodyTooSlow, error_response

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(:[0-9]*)?")
"""A Host header as RFC 9110 has it: a name or an address in brackets, and perhaps a port."""

LOOPBACK_HOSTS = ("localhost", "*.localhost", "127.0.0.1", "[::1]")
ANY_HOST = ("*",)


class KnownHosts:
    """Answers only under names of its own.

    A page of a foreign site can have its name resolved to 127.0.0.1 and would then be of the same origin as this
    server (DNS rebinding); the Host header still says the foreign name.

    hosts: names without ports; `*.example.org` is every name below it, `*` any.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self._app = app
        self._any = "*" in hosts
        self._names = frozenset(host.lower() for host in hosts if not host.startswith("*"))
        self._suffixes = tuple(host[1:].lower() for host in hosts if host.startswith("*."))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        sent = Headers(scope=scope).get("host", "") if scope["type"] == "http" else ""
        written = _HOST.fullmatch(sent)
        if scope["type"] != "http" or (written and (self._any or self._knows(written[1]))):
            await self._app(scope, receive, send)
            return
        if not sent:
            message = (
                "Host: the request names none, and this server answers only under those of [server] allowed_hosts."
            )
        elif not written:
            message = f"Host: it has to be a name or an address, with or without a port; {shown(sent)} was sent."
        else:
            message = (
                f"Host: this server does not answer under {shown(sent)}; [server] allowed_hosts names those it does."
            )
        await error_response(400, "validation_error", message)(scope, receive, send)

    def _knows(self, name: str) -> bool:
        name = name.lower().removesuffix(".")
        return name in self._names or bool(self._suffixes and name.endswith(self._suffixes))


class ForeignPages:
    """Refuses what a page of another site has a browser send.

    Browsers send some requests without asking first (a form, `text/plain`, `no-cors`), and the page does not need to
    read the answer. Such a request says where it is from: in Sec-Fetch-Site, or else in Origin.

    origins: pages of these may send requests; `*` stands for all, but not for the administration.
    """

    def __init__(self, app: ASGIApp, origins: Sequence[str]) -> None:
        self._app = app
        self._origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] in _SAFE or self._allows(scope):
            await self._app(scope, receive, send)
            return
        origin = shown(Headers(scope=scope).get("origin", "another site"))
        message = f"Origin: pages of {origin} may not ask this server; [server] cors_origins names those that may."
        await error_response(400, "validation_error", message)(scope, receive, send)

    def _allows(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site == "same-origin" or (site in {None, "none"} and origin is None):
            return True
        is_admin = scope["path"].startswith(ADMIN_PREFIX)
        if origin in self._origins or ("*" in self._origins and not is_admin):
            return True
        # The origin may be this server's own: a browser without Sec-Fetch-Site sends no more. `none` says that no page
        # asks, so no browser sends it together with the origin of another site.
        return site in {None, "none"} and origin is not None and origin.partition("://")[2] == headers.get("host")


_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods of routes that change nothing."""


class Backpressure:
    """Refuses at once what would only wait, so that what is under way is answered in time.

    limit: the most requests at the same time, those that wait for a thread included; probes are answered beside.
    """

    def __init__(self, app: ASGIApp, limit: int, metrics: Metrics) -> None:
        self._app = app
        self._limit = limit
        self._metrics = metrics
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["path"] in UNCOUNTED:
            await self._app(scope, receive, send)
            return
        if self._under_way >= self._limit:
            self._metrics.overloaded()
            message = "Too many requests are under way; try again in a second."
            response = error_response(503, "service_unavailable", message, {"Retry-After": "1"})
            await response(scope, receive, send)
            return
        self._under_way += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._under_way -= 1


class BodyPatience:
    """Gives a request's body so many seconds to come, all of it; then the answer is 408 and the connection ends."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        until: float | None = asyncio.get_running_loop().time() + self._seconds
        too_slow = False

        async def receive_in_time() -> Message:
            nonlocal until, too_slow
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError:
                too_slow = True
                raise BodyTooSlow(self._seconds) from None
            if not message.get("more_body"):
                until = None  # what comes now is the end of the connection, whenever it ends
            return message

        async def send_last(message: Message) -> None:
            if too_slow and message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Connection"] = "close"
            await send(message)

        await self._app(scope, receive_in_time, send_last)
