"""The number of requests in progress in one process."""

from dataclasses import dataclass


@dataclass(slots=True)
class InFlight:
    """Requests in progress, including those that wait for a thread, and the most that are accepted.

    For the event loop's thread only.
    """

    limit: int
    count: int = 0

    @property
    def is_full(self) -> bool:
        """Whether another request is refused."""
        return self.count >= self.limit


TOO_MANY = "Too many requests are in progress; try again in a second."
