"""Retry policy for failed requests."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_NUMBER = re.compile(r"\d{1,9}(\.\d{1,9})?")
_FINAL_SERVER_ERRORS = frozenset({501, 505, 511})
_TRANSIENT = frozenset({408, 409, 425, 429})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential backoff with jitter.

    attempts: maximum number of requests, including the first.
    budget: seconds after the first request within which the last one has to begin.
    first, most: seconds before the second attempt, doubled each time, and their maximum.
    """

    attempts: int
    budget: float
    first: float
    most: float

    def delay(self, attempt: int, elapsed: float, retry_after: float | None, chance: float) -> float | None:
        """Seconds to wait before the next attempt; None to give up.

        attempt: number of attempts so far, from 1.
        elapsed: seconds since the first one began.
        retry_after: seconds that the provider asked for; a lower bound of the wait.
        chance: random number from 0 to 1 for jitter.
        """
        if attempt >= self.attempts:
            return None
        grown = min(self.most, self.first * 2.0 ** min(attempt - 1, 16))
        wait = grown * (0.5 + 0.5 * chance) if retry_after is None else retry_after + 0.25 * self.first * chance
        return wait if elapsed + wait <= self.budget else None


def is_transient(status: int) -> bool:
    """Whether a retry after this HTTP status may succeed."""
    return status in _TRANSIENT or (status >= 500 and status not in _FINAL_SERVER_ERRORS)


def retry_after_seconds(value: str | None, now: datetime) -> float | None:
    """Parse a Retry-After header to seconds (RFC 9110, 10.2.3: seconds or a date); None if it is missing or invalid.

    now: with a time zone.
    """
    text = (value or "").strip()
    if not text:
        return None
    if _NUMBER.fullmatch(text):
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max((when - now).total_seconds(), 0.0)
