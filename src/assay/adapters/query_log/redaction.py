"""Removes personal data and secrets from the text of a query before it is stored."""

import re
import unicodedata
from collections.abc import Callable, Sequence

from assay.redaction import MASK, redacted

EMAIL, NUMBER, KEY, OTHER = "[email]", "[number]", "[key]", "[redacted]"

_MOST_CHARACTERS = 2_000
_JOINERS = frozenset("\u200c\u200d")
"""Format characters that belong to words of some languages."""

_PREFIXES = r"(?:sk|pk|rk)[-_]|gh[oprsu]_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|AIza|assay_|hf_|npm_|pypi-"
_NAMES_OF_SECRETS = (
    r"[\w-]*(?:password|passwd|passphrase|secret|token|(?:api|access|private|secret)[_-]?key)|pass|pwd|bearer"
)
_NAME_OF_ADDRESS = r"(?<![^\s<>()\[\],;:\"])[^\s<>()\[\],;:\"@]+"
_PATTERNS = tuple(
    (re.compile(pattern, re.IGNORECASE), mask)
    for pattern, mask in (
        # The account in a URL.
        (r"(?<=://)[^\s/@]+@", f"{KEY}@"),
        # Credentials in a header.
        (r"\b(authorization)\b[\"']?\s*[=:]\s*(?:basic|bearer|digest|token)\s+(?!\[)\S+", rf"\1 {KEY}"),
        (r"\b(bearer)\s+(?!\[)(?=\S{0,99}\d)\S{16,}", rf"\1 {KEY}"),
        # A value with the name of a secret, such as DB_PASSWORD or clientSecret.
        (
            rf"(?<![\w-])({_NAMES_OF_SECRETS})\b[\"']?\s*[=:]\s*(?!\[)(?:\"[^\"]*\"|'[^']*'|\S+)",
            rf"\1 {KEY}",
        ),
        # A secret access key, which may have slashes.
        (r"(?<![\w/+])(?=[\w/+]{0,39}\d)(?-i:(?=[\w/+]{0,39}[A-Z]))[A-Za-z0-9/+]{40}(?![\w/+])", KEY),
        # A JSON web token.
        (r"\beyJ[\w-]{8,}(?:\.[\w-]*){0,2}", KEY),
        # A key with the prefix of its provider.
        (rf"(?<!\w)(?:{_PREFIXES})(?=[\w.-]{{0,99}}\d)[\w.-]{{8,}}", KEY),
        # A UUID.
        (r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", KEY),
        # 20 or more letters and digits, of which at least two are digits.
        (r"(?<![A-Za-z0-9])(?=(?:[A-Za-z]*[0-9]){2})(?=[0-9]*[A-Za-z])[A-Za-z0-9]{20,}", KEY),
        # An e-mail address, also one whose end is not typed yet; `package@1.2` and `action@v4` are none.
        (rf"{_NAME_OF_ADDRESS}(?:@|%40)(?:[\w-]+(?:\.[\w-]+)*\.[a-z][\w-]+|(?!v?\d)[\w-]{{2,}}(?:\.[\w-]+)*)", EMAIL),
        # A long number; or a telephone or card number, written in groups.
        (r"(?<!\w)\+?\d(?:[ ()./-]{0,2}\d){8,}|\d{7,}", NUMBER),
    )
)


class QueryRedactor:
    """Replaces e-mail addresses, long numbers, keys and tokens by words in brackets.

    further: regular expressions of what to replace too.

    Raises ConfigurationError for an invalid one.
    """

    def __init__(self, further: Sequence[str] = ()) -> None:
        self._replace_further = _own_patterns(further)

    def __call__(self, text: str) -> str:
        """The text on one line, in Unicode's form NFKC, without control characters and what has to be replaced."""
        text = " ".join(unicodedata.normalize("NFKC", _printable(redacted(text))).split())
        text = redacted(text)  # again, without the invisible characters that disguised a secret
        text = self._replace_further(text)
        for pattern, mask in _PATTERNS:
            text = pattern.sub(mask, text)
        return text[:_MOST_CHARACTERS]


def _own_patterns(patterns: Sequence[str]) -> Callable[[str], str]:
    if not patterns:
        return str
    from assay.adapters.query_log.own_patterns import OwnPatterns  # loads a library

    return OwnPatterns(patterns, OTHER)


def is_masked(text: str) -> bool:
    """Whether something was replaced in a stored text, so that it is not what was searched."""
    return any(mask in text for mask in (EMAIL, NUMBER, KEY, OTHER, MASK))


def grouping_key(text: str) -> str:
    """The key by which queries are counted together: their words, without case and final punctuation."""
    return text.casefold().rstrip("?!.,;: ") or text.casefold()


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(map(_printable_character, text))


def _printable_character(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    # A word with an invisible character in it is still one word, which a pattern has to find.
    return "" if unicodedata.category(character) == "Cf" else " "
