"""Text of others on a terminal: what would move the cursor, change colours or turn the line around is shown instead."""

import unicodedata

from assay.redaction import redacted_content

_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LINES = frozenset("\n\t")
_PICTURES = 0x2400
_DELETE = "\x7f"


def visible(text: str, *, lines: bool = True) -> str:
    """The text without secrets, and with every control character as the picture of it, or U+FFFD where it has none.

    lines: whether newlines and tabs stay; else each run of white space becomes one blank.
    """
    text = redacted_content(text)
    if not lines:
        text = " ".join(text.split())
    return "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character in _LINES:
        return character
    if character < " ":
        return chr(_PICTURES + ord(character))
    if character == _DELETE:
        return "\u2421"
    if character in _TURNING or unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}:
        return "\ufffd"
    return character
