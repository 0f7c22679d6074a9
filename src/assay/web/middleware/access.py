"""API keys, scopes and rate limits, checked before any route runs."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import anyio
from anyio.to_thread import run_sync
from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as AsgiScope

from assay.adapters.access.request_limits import OFF, RequestLimits, Usage
from assay.adapters.telemetry.prometheus import Metrics
from assay.contracts.fields import quoted
from assay.errors import ConfigurationError
from assay.model.access import KEY_PREFIX, ApiKey, Scope
from assay.settings import ServerSettings
from assay.web.errors import ADMIN_PREFIX, error_response
from assay.web.middleware.asgi import HttpMiddleware
from assay.web.middleware.clients import client_address, has_untrusted_proxy, is_local_request, rate_limit_client
from assay.web.middleware.docsearch_errors import is_docsearch_path
from assay.web.middleware.record import record_of

logger = logging.getLogger("assay.web")

METRICS_PATH = "/metrics"
EXEMPT_PATHS = frozenset({"/livez", "/readyz", METRICS_PATH})
"""Exempt from rate limits and backpressure, because health checks and monitoring depend on them."""

KEYLESS_PATHS = frozenset({"/livez", "/readyz", "/health", "/api/v1/health"})
"""Never need a key."""

REPORTS_PREFIX = "/reports/"
"""Paths that never need a key, because they contain a ticket."""

_PAGE_PATHS = frozenset({"/", "/admin", "/assay.js"})
_PAGE_FOLDER = "/page/"
"""The pages and their files, which need no key either: without one, they show nothing of the index."""

RATE_LIMIT_HEADERS = (
    "RateLimit",
    "RateLimit-Policy",
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "Retry-After",
)
_CHALLENGE = 'Bearer realm="assay"'
_HOW_TO_SEND = "send it as `Authorization: Bearer …` or `X-API-Key`"
_DOCSEARCH_KEY = "x-algolia-api-key"


DEFAULT_RATE_LIMIT = "600/minute"
"""Of each address, when other machines can connect."""

_CHARGE = "assay.charge"

_COUNTING_THREADS = 8
"""Threads that wait for Redis, apart from those of searches."""


def charge(scope: AsgiScope, requests: int) -> Response | None:
    """Count further requests against the client's limit, for a request that contains several searches.

    Returns the 429 response when the limit is exceeded, else None.
    """
    charge_client: Callable[[int], Response | None] | None = scope.get(_CHARGE)
    return charge_client(requests) if charge_client is not None and requests > 0 else None


@dataclass(frozen=True, slots=True)
class _Budget:
    """A rate limit, the name under which a client's requests are counted, and the kind of client."""

    limit: str
    client: str
    of: Literal["key", "address"]


class AccessMiddleware(HttpMiddleware):
    """Passes a request on to its route, or refuses it with 401, 403, 429 or 503.

    find_key: looks up a key that was sent; None for an unknown one. Raises ConfigurationError.
    exposed: whether other machines can connect.
    """

    def __init__(
        self,
        app: ASGIApp,
        server: ServerSettings,
        find_key: Callable[[str], ApiKey | None],
        limits: RequestLimits,
        metrics: Metrics,
        *,
        exposed: bool,
    ) -> None:
        super().__init__(app)
        self._server = server
        self._find_key = find_key
        self._address_limit = server.rate_limit or (DEFAULT_RATE_LIMIT if exposed else OFF)
        self._limits = limits
        self._counting = anyio.CapacityLimiter(_COUNTING_THREADS)
        self._metrics = metrics
        self._has_warned = False

    async def answer(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        address = client_address(scope, self._server.trusted_proxies)
        record = record_of(scope)
        if self._server.log_clients:
            record.notes["client"] = address
        self._warn_of_untrusted_proxy(scope)

        token = _token(scope)
        key = None
        refusal = None
        if token is not None:
            try:
                key = self._find_key(token)
            except ConfigurationError as error:
                logger.error("request %s: %s", record.id, error, extra={"fields": {"request_id": record.id}})  # noqa: TRY400
                refusal = error_response(
                    503, "service_unavailable", "The server cannot read its API keys; its log has the reason."
                )
        if key is not None:
            record.notes["key"] = key.id

        budgets = self._budgets(scope["path"], key, address)
        if self._limits.is_remote and budgets:
            budget, usage = await run_sync(self._count, budgets, limiter=self._counting)
        else:
            budget, usage = self._count(budgets)
        if budget is not None and usage is not None and usage.retry_after is not None:
            refusal = _too_many(usage.retry_after, budget)
        refusal = refusal or self._refusal(scope, token, key) or _published_admin_key(scope["path"], key)
        if usage is not None:
            scope[_CHARGE] = partial(self._charge, budgets)
        answer = refusal or self._app
        await answer(scope, receive, send if usage is None else _with_usage(send, usage))

    def _budgets(self, path: str, key: ApiKey | None, address: str) -> list[_Budget]:
        """The limits that apply to a client's requests. The address comes first, so that it alone is used up by it."""
        if path in EXEMPT_PATHS:
            return []
        client = rate_limit_client(address)
        if key is None:
            return [_Budget(self._address_limit, client, "address")]
        of_address = key.address_rate_limit or (self._address_limit if is_docsearch_path(path) else OFF)
        return [
            _Budget(of_address, f"key {key.id} at {client}", "address"),
            _Budget(key.rate_limit or self._server.key_rate_limit, f"key {key.id}", "key"),
        ]

    def _count(self, budgets: Sequence[_Budget], requests: int = 1) -> tuple[_Budget | None, Usage | None]:
        """Count requests against each limit up to one that is exceeded; return that one, or the one with least left."""
        least: tuple[_Budget | None, Usage | None] = None, None
        for budget in budgets:
            usage = self._limits.count(budget.limit, budget.client, requests)
            if usage is None:
                continue
            if usage.retry_after is not None:
                self._metrics.rate_limited(budget.of)
                return budget, usage
            if least[1] is None or usage.tightest.remaining < least[1].tightest.remaining:
                least = budget, usage
        return least

    def _charge(self, budgets: Sequence[_Budget], requests: int) -> Response | None:
        budget, usage = self._count(budgets, requests)
        if budget is None or usage is None or usage.retry_after is None:
            return None
        quota = min(window.quota for window in usage.windows)
        if requests >= quota:
            message = (
                f"Each test or search of a request counts as one, and the rate limit is {quota:,}: send fewer at a "
                "time."
            )
            return error_response(429, "rate_limited", message, {"Retry-After": str(usage.retry_after)})
        return _too_many(usage.retry_after, budget)

    def _refusal(self, scope: AsgiScope, token: str | None, key: ApiKey | None) -> Response | None:
        """The response that refuses this request; None when it is allowed."""
        path: str = scope["path"]
        if path in KEYLESS_PATHS or path.startswith(REPORTS_PREFIX) or self._is_page(path):
            return None
        if path == METRICS_PATH and self._server.metrics == "off":
            return None  # the router answers 404
        if token is not None and key is None:
            return _unauthorized("Unknown or expired API key.", f'{_CHALLENGE}, error="invalid_token"')
        needed = self._needed(scope)
        if needed is None or (key is not None and key.allows(needed)):
            return None
        if key is None:
            how = "set it as `apiKey` of the search box" if is_docsearch_path(path) else _HOW_TO_SEND
            return _unauthorized(f"An API key with scope `{needed}` is required: {how}.", _CHALLENGE)
        challenge = f'{_CHALLENGE}, error="insufficient_scope", scope="{needed}"'
        message = f"The API key {quoted(key.name)} lacks the required scope `{needed}`."
        return error_response(403, "forbidden", message, {"WWW-Authenticate": challenge})

    def _is_page(self, path: str) -> bool:
        return self._server.page and (path in _PAGE_PATHS or path.startswith(_PAGE_FOLDER))

    def _needed(self, scope: AsgiScope) -> Scope | None:
        path = scope["path"]
        if path.startswith(ADMIN_PREFIX):
            return Scope.ADMIN
        if path == METRICS_PATH:
            is_open = self._server.metrics == "public" or (
                self._server.metrics == "loopback" and is_local_request(scope)
            )
            return None if is_open else Scope.ADMIN
        # Any other path needs the search scope, so that a new route is protected by default.
        return Scope.SEARCH if self._server.search == "key" else None

    def _warn_of_untrusted_proxy(self, scope: AsgiScope) -> None:
        if not self._has_warned and has_untrusted_proxy(scope, self._server.trusted_proxies):
            self._has_warned = True
            logger.warning(
                "%s sends X-Forwarded-For but is not in [server] trusted_proxies, so all its requests count as one "
                "client. If it is your proxy, add its address there.",
                scope["client"][0],
            )


def _token(scope: AsgiScope) -> str | None:
    """The key that was sent. Authorization schemes other than Bearer belong to a proxy, and are ignored.

    DocSearch clients have their own header and parameter. They cannot send no key, so one that is not of Assay's form
    counts as none.
    """
    headers = Headers(scope=scope)
    if is_docsearch_path(scope["path"]):
        sent = headers.get(_DOCSEARCH_KEY) or QueryParams(scope["query_string"]).get(_DOCSEARCH_KEY)
        if sent is not None:
            return sent.strip() if sent.strip().startswith(KEY_PREFIX) else None
    sent = headers.get("x-api-key")
    if sent is not None:
        return sent.strip()
    scheme, _, credentials = headers.get("authorization", "").partition(" ")
    return credentials.strip() if scheme.lower() == "bearer" else None


def _published_admin_key(path: str, key: ApiKey | None) -> Response | None:
    """The refusal of an `admin` key in a search box, whose key everyone can read; else None."""
    if key is None or not key.allows(Scope.ADMIN) or not is_docsearch_path(path):
        return None
    message = (
        f"The API key {quoted(key.name)} has the scope `admin`, and everyone can read the key of a search box: revoke "
        "it, and use one with the scope `search`."
    )
    return error_response(403, "forbidden", message)


def _unauthorized(message: str, challenge: str) -> Response:
    return error_response(401, "unauthorized", message, {"WWW-Authenticate": challenge})


def _too_many(seconds: int, budget: _Budget) -> Response:
    whose = "with this key" if budget.of == "key" else "from this address"
    unit = "second" if seconds == 1 else "seconds"
    message = f"Too many requests {whose}; try again in {seconds} {unit}."
    return error_response(429, "rate_limited", message, {"Retry-After": str(seconds)})


def _with_usage(send: Send, usage: Usage) -> Send:
    """Add the rate-limit headers of the IETF draft (-08 and later), and those of earlier drafts."""
    tightest = usage.tightest
    headers = {
        "RateLimit-Policy": ", ".join(f'"{each.name}";q={each.quota};w={each.seconds}' for each in usage.windows),
        "RateLimit": ", ".join(f'"{each.name}";r={each.remaining};t={each.reset}' for each in usage.windows),
        "RateLimit-Limit": str(tightest.quota),
        "RateLimit-Remaining": str(tightest.remaining),
        "RateLimit-Reset": str(tightest.reset),
    }

    async def send_with_usage(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(headers)
        await send(message)

    return send_with_usage
