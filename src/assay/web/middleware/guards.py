"""Middleware that refuses harmful requests: unknown host names, cross-site requests, overload, slow bodies."""

import asyncio
import re
from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.adapters.telemetry.prometheus import Metrics
from assay.contracts.fields import quoted
from assay.web.errors import ADMIN_PREFIX, BodyRefused, error_response
from assay.web.middleware.access import EXEMPT_PATHS
from assay.web.middleware.asgi import HttpMiddleware
from assay.web.middleware.in_flight import TOO_MANY, InFlight

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(:[0-9]*)?")
"""A Host header (RFC 9110): a name or a bracketed address, with an optional port."""

LOOPBACK_HOSTS = ("localhost", "*.localhost", "127.0.0.1", "[::1]")
ANY_HOST = ("*",)


class AllowedHosts(HttpMiddleware):
    """Refuses requests for other host names, to prevent DNS rebinding.

    A foreign site can have its name resolved to 127.0.0.1, and its pages then have the same origin as this server. The
    Host header still contains the foreign name.

    hosts: names without ports; `*.example.org` matches every name below it, `*` any.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        super().__init__(app)
        self._any = "*" in hosts
        self._names = frozenset(host.lower() for host in hosts if not host.startswith("*"))
        self._suffixes = tuple(host[1:].lower() for host in hosts if host.startswith("*."))

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        sent = Headers(scope=scope).get("host", "")
        written = _HOST.fullmatch(sent)
        if written and (self._any or self._knows(written[1])):
            await self._app(scope, receive, send)
            return
        if not sent:
            message = "Host: the header is missing; this server answers only the hosts of [server] allowed_hosts."
        elif not written:
            message = f"Host: it must be a name or an address, with or without a port; {quoted(sent)} was sent."
        else:
            message = f"Host: {quoted(sent)} is not one of the hosts of this server; add it to [server] allowed_hosts."
        await error_response(400, "validation_error", message)(scope, receive, send)

    def _knows(self, name: str) -> bool:
        name = name.lower().removesuffix(".")
        return name in self._names or bool(self._suffixes and name.endswith(self._suffixes))


class CrossSiteGuard(HttpMiddleware):
    """Refuses cross-site requests (CSRF).

    Browsers send some requests without a preflight (a form, `text/plain`, `no-cors`). Their origin is in
    Sec-Fetch-Site, or else in Origin.

    origins: origins that may send requests; `*` for all, except to the administration.
    """

    def __init__(self, app: ASGIApp, origins: Sequence[str]) -> None:
        super().__init__(app)
        self._origins = frozenset(origins)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["method"] in _SAFE or self._allows(scope):
            await self._app(scope, receive, send)
            return
        origin = quoted(Headers(scope=scope).get("origin", "another site"))
        message = f"Origin: pages of {origin} may not use this server; add the origin to [server] cors_origins."
        await error_response(400, "validation_error", message)(scope, receive, send)

    def _allows(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site == "same-origin" or (site in {None, "none"} and origin is None):
            return True
        is_admin = scope["path"].startswith(ADMIN_PREFIX)
        if origin in self._origins or ("*" in self._origins and not is_admin):
            return True
        # An old browser sends no Sec-Fetch-Site, so compare Origin with Host. `none` means that the user started the
        # request: browsers do not combine it with the origin of another site.
        return site in {None, "none"} and origin is not None and origin.partition("://")[2] == headers.get("host")


_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods of routes that change nothing."""


class Backpressure(HttpMiddleware):
    """Refuses requests over the limit immediately, so that those in progress finish in time.

    in_flight: counts the requests here; probes do not count.
    """

    def __init__(self, app: ASGIApp, in_flight: InFlight, metrics: Metrics) -> None:
        super().__init__(app)
        self._in_flight = in_flight
        self._metrics = metrics

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["path"] in EXEMPT_PATHS:
            await self._app(scope, receive, send)
            return
        if self._in_flight.is_full:
            self._metrics.overloaded()
            response = error_response(503, "service_unavailable", TOO_MANY, {"Retry-After": "1"})
            await response(scope, receive, send)
            return
        self._in_flight.count += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._in_flight.count -= 1


class BodyTimeout(HttpMiddleware):
    """Answers 408 and closes the connection when a request's body takes longer than `seconds`."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        super().__init__(app)
        self._seconds = seconds

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        until: float | None = asyncio.get_running_loop().time() + self._seconds
        too_slow = False

        async def receive_in_time() -> Message:
            nonlocal until, too_slow
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError:
                too_slow = True
                raise BodyRefused.too_slow(self._seconds) from None
            if not message.get("more_body"):
                until = None  # the next message is the disconnect, which has no timeout
            return message

        async def send_last(message: Message) -> None:
            if too_slow and message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Connection"] = "close"
            await send(message)

        await self._app(scope, receive_in_time, send_last)
