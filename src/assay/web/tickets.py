"""Tickets: links that work for some minutes without a key, because a browser sends no key when it opens a link."""

import base64
import binascii
import hashlib
import hmac
import time
from struct import Struct

SECONDS = 600.0
"""Seconds for which a ticket is valid."""

_END = Struct(">d")
_SIGNATURE_BYTES = 24


class Tickets:
    """Signed tickets, each for one name. All workers of a server know them, and nothing is stored.

    secret: random bytes of the server; its tickets end with it.
    """

    def __init__(self, secret: bytes, seconds: float = SECONDS) -> None:
        self._secret = secret
        self._seconds = seconds

    def issue(self, name: str) -> str:
        """Return a new ticket, which cannot be guessed."""
        content = _END.pack(time.time() + self._seconds) + name.encode()
        return base64.urlsafe_b64encode(self._sign(content) + content).decode().rstrip("=")

    def name_of(self, ticket: str) -> str | None:
        """The name that a ticket is for; None for an unknown or expired one."""
        try:
            content = base64.b64decode(ticket + "=" * (-len(ticket) % 4), b"-_", validate=True)
        except (binascii.Error, ValueError):
            return None
        signature, content = content[:_SIGNATURE_BYTES], content[_SIGNATURE_BYTES:]
        if len(content) < _END.size or not hmac.compare_digest(signature, self._sign(content)):
            return None
        return content[_END.size :].decode() if _END.unpack_from(content)[0] > time.time() else None

    def _sign(self, content: bytes) -> bytes:
        return hmac.new(self._secret, b"ticket" + content, hashlib.sha256).digest()[:_SIGNATURE_BYTES]
