"""Escaping of untrusted text for a terminal: control and bidirectional characters become visible."""

import unicodedata

from assay.redaction import redacted_content

_BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LINES = frozenset("\n\t")
_CONTROL_PICTURES = 0x2400
_DELETE = "\x7f"


def visible(text: str, *, lines: bool = True) -> str:
    """Mask secrets and replace each control character by its Unicode control picture, or U+FFFD without one.

    lines: keep newlines and tabs; if false, each run of white space becomes one space.
    """
    text = redacted_content(text)
    if not lines:
        text = " ".join(text.split())
    return "".join(map(_escape, text))


def _escape(character: str) -> str:
    if character in _LINES:
        return character
    if character < " ":
        return chr(_CONTROL_PICTURES + ord(character))
    if character == _DELETE:
        return "\u2421"
    if character in _BIDIRECTIONAL or unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}:
        return "\ufffd"
    return character
