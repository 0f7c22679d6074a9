"""Whether and when a request that failed is made again. Pure."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_NUMBER = re.compile(r"\d{1,9}(\.\d{1,9})?")
_FINAL_SERVER_ERRORS = frozenset({501, 505, 511})
_TRANSIENT = frozenset({408, 409, 425, 429})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long a request is worth trying.

    attempts: the most requests, the first one included.
    budget: seconds from the first request in which the last one has to begin.
    first, most: seconds before the second attempt, and the most that it grows to; it doubles each time.
    """

    attempts: int
    budget: float
    first: float
    most: float

    def delay(self, attempt: int, elapsed: float, retry_after: float | None, chance: float) -> float | None:
        """Seconds to wait before the next attempt; None when there is to be none.

        attempt: how many there have been, from 1.
        elapsed: seconds since the first one began.
        retry_after: seconds that the provider asked for; never less is waited.
        chance: a random number from 0 to 1, so that those who failed together do not come back together.
        """
        if attempt >= self.attempts:
            return None
        grown = min(self.most, self.first * 2.0 ** (attempt - 1))
        wait = grown * (0.5 + 0.5 * chance) if retry_after is None else retry_after + 0.25 * self.first * chance
        return wait if elapsed + wait <= self.budget else None


def is_transient(status: int) -> bool:
    """Whether a request that was answered with this HTTP status may succeed when it is made again."""
    return status in _TRANSIENT or (status >= 500 and status not in _FINAL_SERVER_ERRORS)


def retry_after_seconds(value: str | None, now: datetime) -> float | None:
    """The seconds that a Retry-After header asks for (RFC 9110, 10.2.3: seconds or a date); None if it says nothing.

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
