"""Who may do what over HTTP: scopes, and the keys that have them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

RATE = r"[1-9]\d{0,8}/(second|minute|hour|day)"
RATE_LIMIT = rf"^({RATE}(, ?{RATE})*|off)$"
"""How a rate limit is written: `20/second, 600/minute`, or `off`."""


class Scope(StrEnum):
    """What a key may do. `admin` includes `search`."""

    SEARCH = "search"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is kept of a key; the key itself is nowhere.

    id: the part of the key that may be shown; in the log beside every request.
    name: whose it is, in the operator's words.
    scopes: what it may do.
    sha256: SHA-256 hex over the whole key.
    expires_at: from when on it is refused; None for never.
    rate_limit: how many requests it may make, as `[server] rate_limit` is written; None for the server's own.
    """

    id: str
    name: str
    scopes: frozenset[Scope]
    sha256: str
    created_at: datetime
    expires_at: datetime | None = None
    rate_limit: str | None = None

    def allows(self, scope: Scope) -> bool:
        """Whether it may do what needs this scope."""
        return scope in self.scopes or Scope.ADMIN in self.scopes

    def has_expired(self, now: datetime) -> bool:
        """Whether its time is over."""
        return self.expires_at is not None and now >= self.expires_at
