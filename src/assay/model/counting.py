"""Numbers with the noun that they count, and lists of names cut short, for messages."""

from collections.abc import Sequence


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number with its noun, singular or plural: `1 topic`, `1,200 topics`. many: the plural that is irregular."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def some_of(names: Sequence[str], most: int) -> str:
    """The first `most` names, and how many more there are: `a, b, c and 2 more`."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
