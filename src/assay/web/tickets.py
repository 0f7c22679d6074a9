"""Tickets: links that work for some minutes without a key, because a browser sends no key when it opens a link."""

import secrets
from collections import OrderedDict
from threading import Lock
from time import monotonic

SECONDS = 600.0
"""How long a ticket is valid."""

_MOST = 1_000


class Tickets:
    """The valid tickets of one server process, each for one thing. Thread-safe."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._issued: OrderedDict[str, tuple[float, str]] = OrderedDict()  # in the order of their end
        self._lock = Lock()

    def issue(self, name: str) -> str:
        """Return a new ticket, which cannot be guessed."""
        ticket = secrets.token_urlsafe(24)
        with self._lock:
            self._issued[ticket] = monotonic() + self._seconds, name
            while len(self._issued) > _MOST:
                self._issued.popitem(last=False)
        return ticket

    def name_of(self, ticket: str) -> str | None:
        """What a ticket is for; None for an unknown or expired one."""
        with self._lock:
            until, name = self._issued.get(ticket, (0.0, ""))
            if until > monotonic():
                return name
            self._issued.pop(ticket, None)
            return None
