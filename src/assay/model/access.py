"""API keys and their scopes."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

KEY_PREFIX = "assay_"

RATE = r"[1-9]\d{0,8}/(second|minute|hour|day)"
RATE_LIMIT = rf"^({RATE}(, ?{RATE})*|off)$"
"""Format of a rate limit: `20/second, 600/minute`, or `off`."""


class Scope(StrEnum):
    """Permission of a key. `admin` includes `search`."""

    SEARCH = "search"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """The record of an API key; the key itself is not stored.

    id: the public part of the key, which identifies it in the log.
    name: owner or purpose.
    sha256: SHA-256 hex over the whole key.
    expires_at: time from which it is refused; None for never.
    rate_limit: in the format of `[server] rate_limit`; None for the server's limit.
    address_rate_limit: likewise, for each client address that uses the key; None for no such limit, except in search
        boxes, where `[server] rate_limit` is the default.
    """

    id: str
    name: str
    scopes: frozenset[Scope]
    sha256: str
    created_at: datetime
    expires_at: datetime | None = None
    rate_limit: str | None = None
    address_rate_limit: str | None = None

    def allows(self, scope: Scope) -> bool:
        """Whether the key has this scope."""
        return scope in self.scopes or Scope.ADMIN in self.scopes

    def has_expired(self, now: datetime) -> bool:
        """Whether the key has expired."""
        return self.expires_at is not None and now >= self.expires_at
