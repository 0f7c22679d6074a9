"""Numbers with the noun that they count, for messages."""


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number with its noun, singular or plural: `1 topic`, `1,200 topics`. many: the plural that is irregular."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
