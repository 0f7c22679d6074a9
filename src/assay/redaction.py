"""Masks secrets in every text that leaves the process: messages, logs, responses, reports.

A peer may repeat a secret that it received, in any encoding. So the settings register their secrets here, and every
output passes its text through `redacted`: error messages, printed lines, log lines, HTTP responses and report files.
"""

import base64
import binascii
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from threading import Lock
from urllib.parse import quote, quote_plus, unquote

MASK = "***"

_API_KEY = re.compile(r"assay_([a-z0-9]{8})_[A-Za-z0-9]{43}")
_API_KEY_PREFIX = "assay_"
_AUTHORITY = re.compile(r"[a-z][a-z0-9+.-]*://([^/?#]*@)", re.IGNORECASE)
_DATABASE = re.compile(r"postgres(?:ql)?(?:\+\w+)?://(.*@)", re.IGNORECASE | re.DOTALL)
_PASSWORD_PARAMETER = re.compile(
    r"[?&](?:\w*password|passcode|token|api[_-]?key|access[_-]?key)=([^&#]*)", re.IGNORECASE
)

_SHORTEST, _SHORTEST_STRONG, _LONG = 4, 6, 16
_NO_SECRETS = frozenset(
    {"assay", "azure", "bearer", "basic", "cohere", "database", "localhost", "none", "null", "openai", "password"}
    | {"postgres", "postgresql", "public", "qdrant", "root", "secret", "sqlite", "test", "token", "true", "user"}
)
"""Common words of messages. As passwords they protect nothing, and masking them makes messages unreadable."""


class Redactor:
    """Replaces registered secrets. Safe to use from several threads.

    A strong secret (6 characters with a digit, a symbol or mixed case, or 16 of any kind) is replaced everywhere, in
    any case and in the usual encodings. A weak one of 4 characters or more is replaced only as a whole word, and only
    in messages and logs: a password such as `docs` must not change the indexed pages.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._strong: frozenset[str] = frozenset()
        self._weak: frozenset[str] = frozenset()
        self._anywhere: re.Pattern[str] | None = None
        self._words: re.Pattern[str] | None = None
        self._folded: frozenset[str] = frozenset()

    def hide(self, secrets: Iterable[str]) -> None:
        """Register further secrets."""
        found = {secret.strip() for secret in secrets}
        strong = {form for secret in found if _is_strong(secret) for form in _forms(secret)}
        weak = {secret for secret in found if _is_weak(secret)}
        with self._lock:
            if strong <= self._strong and weak <= self._weak:
                return
            self._strong, self._weak = self._strong | strong, self._weak | weak
            self._folded = frozenset(secret.casefold() for secret in self._strong if secret)
            self._anywhere = _any_of(self._strong)
            self._words = _any_of(self._weak, whole=True)

    def forget(self) -> None:
        """Forget every secret; for tests."""
        with self._lock:
            self._strong = self._weak = frozenset()
            self._anywhere = self._words = None
            self._folded = frozenset()

    def content(self, text: str) -> str:
        """Mask strong secrets, for texts with indexed content."""
        if self._anywhere is None:
            return text
        folded = text.casefold()  # fast path for texts without secrets: 100 times as fast as the pattern
        return self._anywhere.sub(MASK, text) if any(secret in folded for secret in self._folded) else text

    def message(self, text: str) -> str:
        """Mask all secrets, and truncate API keys to their ids."""
        text = self.content(text)
        if _API_KEY_PREFIX in text:
            text = _API_KEY.sub(r"assay_\1_…", text)
        return text if self._words is None else self._words.sub(MASK, text)


_REDACTOR = Redactor()
hide = _REDACTOR.hide
forget = _REDACTOR.forget
redacted = _REDACTOR.message
redacted_content = _REDACTOR.content


def peer_words(text: str, most: int = 300) -> str:
    """A peer's text on one line, without secrets, truncated to `most` characters.

    Secrets are masked first, because a truncated one would not be recognised.
    """
    line = " ".join(redacted(text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def secrets_in_url(url: str) -> Iterator[str]:
    """Yield the password of a URL, even with an unescaped `@`, and those in its parameters."""
    yield from _PASSWORD_PARAMETER.findall(url)
    authority = _DATABASE.match(url) or _AUTHORITY.match(url)
    user, colon, password = (authority[1][:-1] if authority else "").partition(":")
    if colon and password and password != user:
        yield password
        yield base64.b64encode(f"{unquote(user)}:{unquote(password)}".encode()).decode()
        # With an unescaped `@`, URL parsers take a part of the password for the host.
        yield from password.split("@") if "@" in password else ()


def secrets_in_header(value: str) -> Iterator[str]:
    """Yield a header's value, its credentials without the scheme, the password of basic authentication, its cookies."""
    yield value
    scheme, _, credentials = value.strip().partition(" ")
    if credentials:
        yield credentials
    if scheme.lower() == "basic":
        try:
            account = base64.b64decode(credentials, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            account = ""
        yield account.partition(":")[2]
    for cookie in value.split(";"):
        yield cookie.partition("=")[2]


def redacted_bytes(content: bytes) -> bytes:
    """Mask strong secrets in UTF-8 bytes."""
    return redacted_content(content.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def redacted_json(value: object) -> object:
    """Mask strong secrets in every string and key of a JSON value."""
    if isinstance(value, str):
        return redacted_content(value)
    if isinstance(value, Mapping):
        return {redacted_content(str(name)): redacted_json(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [redacted_json(inner) for inner in value]
    return value


def _is_strong(secret: str) -> bool:
    plain = secret.isalpha() and (secret.islower() or secret.isupper())
    return len(secret) >= _LONG or (len(secret) >= _SHORTEST_STRONG and not plain)


def _is_weak(secret: str) -> bool:
    return len(secret) >= _SHORTEST and not _is_strong(secret) and secret.lower() not in _NO_SECRETS


def _forms(secret: str) -> Iterator[str]:
    """Yield the encodings in which a peer, a URL or a log may repeat the secret."""
    for plain in {secret, unquote(secret)}:
        encoded = plain.encode("utf-8", "surrogateescape")
        yield from (plain, quote(encoded), quote(encoded, safe=""), quote_plus(encoded))
        yield from (json.dumps(plain)[1:-1], json.dumps(plain, ensure_ascii=False)[1:-1], repr(plain)[1:-1])
        yield from (html.escape(plain), " ".join(plain.split()))
        for alphabet in (base64.b64encode, base64.urlsafe_b64encode):
            yield alphabet(encoded).decode().rstrip("=")


def _any_of(secrets: Iterable[str], *, whole: bool = False) -> re.Pattern[str] | None:
    longest_first = sorted(filter(None, secrets), key=len, reverse=True)
    if not longest_first:
        return None
    joined = "|".join(map(re.escape, longest_first))
    return re.compile(rf"(?<!\w)(?:{joined})(?!\w)" if whole else joined, re.IGNORECASE)
