"""Numbers with nouns, and truncated lists of names, for messages."""

from collections.abc import Sequence


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number with its noun: `1 topic`, `1,200 topics`. many: an irregular plural."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def some_of(names: Sequence[str], most: int) -> str:
    """The first `most` names, and the number of others: `a, b, c and 2 more`."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
