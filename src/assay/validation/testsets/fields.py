"""Checks of single fields of a test set; problems are collected."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeVar

from assay.errors import InputError
from assay.model.field_errors import lower_first
from assay.model.ids import canonical_url
from assay.model.located import Path
from assay.validation.testsets.keys import meant, shown

Choice = TypeVar("Choice", bound=StrEnum)

_MAX_DEPTH = 50
_CANONICAL = re.compile(r"https?://[a-z0-9][a-z0-9.-]*(?:/[A-Za-z0-9_-][A-Za-z0-9_.~-]*)+")
"""Addresses that are canonical already, as most are; matching takes a tenth of the time of canonical_url."""


class Note(NamedTuple):
    """A problem of the value at a path. other: a path whose line replaces {line} in the message."""

    path: Path
    message: str
    other: Path | None = None


class FieldChecks:
    """Collects the problems of one file's fields."""

    def __init__(self) -> None:
        self.notes: list[Note] = []
        self._urls: dict[str, str] = {}

    def fault(self, path: Path, message: str, other: Path | None = None) -> None:
        """Add a problem."""
        self.notes.append(Note(path, message, other))

    def known_keys(self, path: Path, fields: Mapping[str, object], known: Sequence[str]) -> None:
        """Add a problem for every unknown key."""
        for key in fields:
            if key not in known:
                self.fault((*path, key), f"there is no key `{key}` here; {meant(key, known)}")

    def text(self, path: Path, value: object) -> str | None:
        """Read a text that is not only white space."""
        if not isinstance(value, str):
            quotes = " (put it in quotes)" if isinstance(value, bool | int | float) else ""
            self.fault(path, f"has to be text, not {shown(value)}{quotes}")
            return None
        if not value.strip():
            self.fault(path, "is empty")
            return None
        if (reason := _no_text(value)) is not None:
            self.fault(path, reason)
            return None
        return value

    def any_text(self, path: Path, value: object) -> str:
        """Read a text, which may be empty."""
        if value == "":
            return ""
        if isinstance(value, str) and not value.strip():
            return value
        return self.text(path, value) or ""

    def texts(self, path: Path, value: object) -> tuple[str, ...]:
        """Read a list of texts."""
        if not isinstance(value, list):
            one = f"; write [{value}]" if isinstance(value, str) and value.isprintable() else ""
            self.fault(path, f"has to be a list of texts, not {shown(value)}{one}")
            return ()
        return tuple(self.text((*path, number), one) or "" for number, one in enumerate(value))

    def choice(self, path: Path, value: object, kind: type[Choice]) -> Choice | None:
        """Read a member of an enumeration."""
        word = self.word(path, value, tuple(kind))
        return None if word is None else kind(word)

    def word(self, path: Path, value: object, known: Collection[str]) -> str | None:
        """Read one of these words."""
        if isinstance(value, str) and value in known:
            return value
        words = ", ".join(known)
        hint = meant(value, known) if isinstance(value, str) else ""
        self.fault(path, f"has to be one of {words}, not {shown(value)}{'; ' + hint if hint.startswith('did') else ''}")
        return None

    def url(self, path: Path, value: object) -> str | None:
        """Read a URL. Returns it canonical, without its fragment."""
        if isinstance(value, str):
            if _CANONICAL.fullmatch(value):
                return value
            if (known := self._urls.get(value)) is not None:
                return known
        text = self.text(path, value)
        if text is None:
            return None
        try:
            url = canonical_url(text)
        except InputError as error:
            self.fault(
                path, f"{lower_first(error.message.rstrip('.'))} (it has to look like https://docs.example.org/guide)"
            )
            return None
        self._urls[text] = url
        return url

    def hash(self, path: Path, value: object) -> str | None:
        """Read a SHA-256. Returns it in lower-case hexadecimal."""
        text = self.text(path, value)
        if text is None:
            return None
        lowered = text.lower()
        if len(lowered) != _HASH_LENGTH or not set(lowered) <= _HEX:
            self.fault(path, f"has to be a SHA-256 of {_HASH_LENGTH} hexadecimal digits, not {shown(text)}")
            return None
        return lowered

    def plain_values(self, path: Path, value: object, depth: int = 0) -> None:
        """Add a problem for every value that JSON cannot represent."""
        if depth > _MAX_DEPTH:
            self.fault(path, f"is nested more than {_MAX_DEPTH} deep")
        elif isinstance(value, Mapping):
            for key, one in value.items():
                if (reason := _no_text(str(key))) is not None:
                    self.fault(path, f"a key of it {reason}")
                self.plain_values((*path, key), one, depth + 1)
        elif isinstance(value, list):
            for number, one in enumerate(value):
                self.plain_values((*path, number), one, depth + 1)
        elif isinstance(value, float) and not math.isfinite(value):
            self.fault(path, f"is {shown(value)}, which is not a number")
        elif isinstance(value, str) and (reason := _no_text(value)) is not None:
            self.fault(path, reason)


_HASH_LENGTH = 64
_HEX = frozenset("0123456789abcdef")


def _no_text(value: str) -> str | None:
    """Why a string is not valid text; None if it is."""
    if "\0" in value:
        return "has a NUL character (U+0000), which is not allowed in text"
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            return f"has half of a surrogate pair (U+{ord(value[error.start]):04X}), which is not allowed in text"
    return None
