"""An operator's regular expressions for redaction, within a time limit.

Python's `re` may try for hours, and holds the GIL meanwhile, which stops the server. `regex` has a time limit and
releases it.
"""

import logging
from collections.abc import Sequence

import regex

from assay.errors import ConfigurationError

logger = logging.getLogger(__name__)

_SECONDS = 0.1
"""Time limit of one expression for one text."""


class OwnPatterns:
    """Replaces what matches one of these expressions. Safe to use from several threads.

    mask: put in place of what matches.

    Raises ConfigurationError for an invalid expression.
    """

    def __init__(self, patterns: Sequence[str], mask: str) -> None:
        self._patterns = [_compiled(pattern) for pattern in patterns]
        self._mask = mask
        self._warned: set[str] = set()

    def __call__(self, text: str) -> str:
        """The text with masks; only a mask if an expression takes too long, because it might have matched anything."""
        for pattern in self._patterns:
            try:
                text = pattern.sub(self._mask, text, timeout=_SECONDS, concurrent=True)
            except TimeoutError:
                self._warn(pattern.pattern)
                return self._mask
        return text

    def _warn(self, pattern: str) -> None:
        """Warn once for each expression."""
        if pattern not in self._warned:
            self._warned.add(pattern)
            logger.warning(
                "[queries] redact: %r took more than %g s for one query. Such queries are stored as %s. Write it "
                "without a repeat in a repeat, and without two alternatives that match the same text.",
                pattern,
                _SECONDS,
                self._mask,
            )


def _compiled(pattern: str) -> "regex.Pattern[str]":
    try:
        return regex.compile(pattern)
    except regex.error as error:
        raise ConfigurationError(
            f"[queries] redact: {pattern!r} is not a regular expression: {error}.",
            hint="Write it as the regex package on PyPI reads it.",
        ) from None
