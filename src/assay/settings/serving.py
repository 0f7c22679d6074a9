"""`assay serve`."""

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
    threads: int = Field(default=8, ge=1, le=256, description="Searches that run at the same time.")
    contract_mode: ContractMode | None = Field(
        default=None,
        description="How the seeds' routes choose and order hits: `hybrid` (chosen by `[search] mode`, ordered by "
        "similarity), `dense` (chosen and ordered by similarity) or `fused` (chosen and ordered by `[search] mode`); "
        "`hybrid` if unset.",
    )
    strict_metadata: bool = Field(
        default=False, description="Answer 503 instead of using the index's own metadata when the catalog is down."
    )
    cors_origins: tuple[str, ...] = Field(
        default=(),
        description="Origins whose pages a browser lets ask and read: `https://docs.example.org` for its search box, "
        "`*` for any. None if empty.",
    )
    max_body_bytes: int = Field(default=65_536, ge=1_024, description="Larger request bodies are refused.")
    max_validation_bytes: int = Field(
        default=1_048_576, ge=1_024, description="The same for `POST /api/v1/validate`, whose bodies hold many tests."
    )
    validation_seconds: float = Field(
        default=60.0, gt=0, le=3_600, description="How long one such request begins new tests; the rest is not run."
    )
    drain_seconds: int = Field(default=10, ge=0, description="How long a stopping server finishes its requests.")
    poll_seconds: float = Field(default=0.5, gt=0, le=60, description="How often the live row is looked at.")
    log_format: Literal["text", "json"] = Field(
        default="text", description="The server's log on standard error: lines for people, or one JSON object each."
    )
    log_queries: bool | Literal["hash"] = Field(
        default=True,
        description="The text of each query in the log: `true`, `false`, or `hash` for a hash in its place that is the "
        "same for the same query until the server stops.",
    )
    log_clients: bool = Field(default=True, description="The address of each client in the log.")
    search: Literal["public", "key"] = Field(
        default="public", description="Who may search: everyone, or who has an API key (`assay keys add`)."
    )
    keys_file: Path | None = Field(
        default=None, description="File with the hashed API keys; `keys.json` in the data directory if unset."
    )
    rate_limit: str | None = Field(
        default=None,
        pattern=RATE_LIMIT,
        description="Requests of one address without a key, as in `20/second, 600/minute`, or `off`. If unset, "
        "`600/minute` where others than this machine can ask, else `off`.",
    )
    key_rate_limit: str = Field(
        default="6000/minute",
        pattern=RATE_LIMIT,
        description="Requests of one API key that has no limit of its own, or `off`.",
    )
    trusted_proxies: tuple[IPvAnyNetwork, ...] = Field(
        default=(),
        description="Addresses or networks of the proxies in front, whose X-Forwarded-For names the client.",
    )
    allowed_hosts: tuple[str, ...] = Field(
        default=(),
        description="Names (`docs.example.org`, `*.example.org`, `*`) under which the server answers. If empty, the "
        "machine's own where only the machine itself can ask, else any.",
    )
    metrics: Literal["loopback", "key", "public", "off"] = Field(
        default="loopback",
        description="Who may read /metrics besides an `admin` key: programs on this machine, nobody (`key`), everyone "
        "(`public`); or there is none (`off`).",
    )
    traces: bool = Field(
        default=False,
        description="Send OpenTelemetry traces; needs the extra `otel`. The OTEL_* variables say where; setting "
        "`OTEL_EXPORTER_OTLP_ENDPOINT` turns it on.",
    )
    max_requests: int = Field(
        default=256, ge=1, description="Requests at the same time, waiting ones included; one more is answered 503."
    )
    max_connections: int = Field(
        default=1_000, ge=1, description="Open connections, idle ones included; one more is answered 503."
    )
    head_seconds: float = Field(
        default=10.0, gt=0, le=3_600, description="How long a request's head may take to come, or a client not read."
    )
    body_seconds: float = Field(default=20.0, gt=0, le=3_600, description="How long a request's body may take to come.")

    @field_validator("cors_origins")
    @classmethod
    def _require_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        """Browsers send scheme and host, and nothing else is ever equal to that."""
        for origin in origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise ValueError(f"{origin!r} is no origin; write https://docs.example.org, without a path, or *")
        return origins
