"""Settings of the HTTP server."""

import re
from pathlib import Path
from typing import Literal

from pydantic import Field, IPvAnyNetwork, field_validator

from assay.model.access import RATE_LIMIT
from assay.model.ranking import ContractMode
from assay.settings.table import Table

_ORIGIN = re.compile(r"(null|[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[^/?#@*\s:\[\]]+)(:\d{1,5})?)")


class ServerSettings(Table):
    """`assay serve`."""

    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8080, ge=0, le=65_535, description="Port to listen on; 0 picks a free one.")
    workers: int = Field(
        default=1,
        ge=1,
        le=256,
        description="Processes that answer on the same port. `threads`, `max_requests` and `max_connections` apply to "
        "each; rate limits and `/metrics` to all together. See [scaling.md](scaling.md#workers). Not on Windows.",
    )
    threads: int = Field(
        default=8,
        ge=1,
        le=256,
        description="Most requests in threads at the same time. Short searches of an embedded index need no thread: "
        "they run one after another on the event loop.",
    )
    contract_mode: ContractMode | None = Field(
        default=None,
        description="How the contracts' routes choose and order hits: `hybrid` (chosen by `[search] mode`, ordered by "
        "similarity), `dense` (chosen and ordered by similarity) or `fused` (chosen and ordered by `[search] mode`). "
        "`hybrid` if unset.",
    )
    strict_metadata: bool = Field(
        default=False, description="Answer 503 if the catalog is down, instead of using the index's own metadata."
    )
    cors_origins: tuple[str, ...] = Field(
        default=(),
        description="Origins allowed by CORS to call the API from a browser, such as `https://docs.example.org`; `*` "
        "for any.",
    )
    max_body_bytes: int = Field(default=65_536, ge=1_024, description="Largest request body, in bytes.")
    max_validation_bytes: int = Field(
        default=1_048_576, ge=1_024, description="Largest request body of `POST /api/v1/validate`, in bytes."
    )
    validation_seconds: float = Field(
        default=60.0,
        gt=0,
        le=3_600,
        description="Seconds after which a `POST /api/v1/validate` request starts no further test.",
    )
    drain_seconds: int = Field(
        default=10, ge=0, description="Seconds that a stopping server waits for its requests to end."
    )
    poll_seconds: float = Field(
        default=0.5, gt=0, le=60, description="Seconds between checks of which generation is live."
    )
    log_format: Literal["text", "json"] = Field(
        default="text", description="Format of the log on standard error: `text`, or `json` with one object a line."
    )
    log_queries: bool | Literal["hash"] = Field(
        default=True,
        description="Log each query's text: `true`, `false`, or `hash` for a hash in its place; the same query has "
        "the same hash until the server stops.",
    )
    log_clients: bool = Field(default=True, description="Log the IP address of each client.")
    search: Literal["public", "key"] = Field(
        default="public",
        description="Who may search: `public` for everyone, `key` for holders of an API key (`assay keys add`).",
    )
    keys_file: Path | None = Field(
        default=None, description="File with the hashed API keys; `keys.json` in the data directory if unset."
    )
    rate_limit: str | None = Field(
        default=None,
        pattern=RATE_LIMIT,
        description="Rate limit for each IP address without a key: `20/second, 600/minute`, or `off`. If unset, "
        "`600/minute` if other machines can connect, else `off`.",
    )
    key_rate_limit: str = Field(
        default="6000/minute",
        pattern=RATE_LIMIT,
        description="Rate limit for each API key that has none of its own, or `off`.",
    )
    rate_limit_storage: str | None = Field(
        default=None,
        pattern=r"^(rediss?|redis\+unix)://",
        description="Redis in which several machines count requests together: `redis://:password@host:6379/0`, "
        "`rediss://…`, `redis+unix:///path`; needs the extra `redis`. If unset, or while Redis does not answer, each "
        "machine counts for itself.",
    )
    trusted_proxies: tuple[IPvAnyNetwork, ...] = Field(
        default=(),
        description="IP addresses or networks of reverse proxies whose `X-Forwarded-For` is trusted.",
    )
    allowed_hosts: tuple[str, ...] = Field(
        default=(),
        description="Accepted values of the `Host` header: `docs.example.org`, `*.example.org`, `*`. If empty, any "
        "value if other machines can connect, else this machine's own names.",
    )
    mcp: bool = Field(default=True, description="Serve MCP at `/mcp` if the extra `mcp` is installed.")
    page: bool = Field(
        default=True,
        description="Serve a search page at `/`, a page for operators at `/admin`, and `/assay.js` for search boxes in "
        "other sites. See [page.md](page.md).",
    )
    metrics: Literal["loopback", "key", "public", "off"] = Field(
        default="loopback",
        description="Who may read `/metrics` without an `admin` key: programs on this machine (`loopback`), nobody "
        "(`key`) or everyone (`public`). `off` removes the route.",
    )
    traces: bool = Field(
        default=False,
        description="Send OpenTelemetry traces, configured by the `OTEL_*` variables; needs the extra `otel`. Setting "
        "`OTEL_EXPORTER_OTLP_ENDPOINT` turns it on.",
    )
    max_requests: int = Field(
        default=256, ge=1, description="Most requests in flight, including queued ones; beyond that, the answer is 503."
    )
    max_connections: int = Field(
        default=1_000,
        ge=1,
        description="Most open connections, including idle ones; beyond that, the answer is 503.",
    )
    head_seconds: float = Field(
        default=10.0,
        gt=0,
        le=3_600,
        description="Seconds to receive a request's headers, and seconds that a client may stop reading the response.",
    )
    body_seconds: float = Field(default=20.0, gt=0, le=3_600, description="Seconds to receive a request's body.")

    @field_validator("cors_origins")
    @classmethod
    def _require_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse values that never equal an `Origin` header: browsers send scheme, host and port only."""
        for origin in origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise ValueError(f"{origin!r} is not an origin; write https://docs.example.org, without a path, or *")
        return origins
