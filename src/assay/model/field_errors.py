"""Messages about invalid fields."""

from collections.abc import Sequence


def field_path(location: Sequence[int | str], root: str) -> str:
    """Format `("filters", "versions", 0)` as `filters.versions[0]`. root: the result for an empty location."""
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path or root


def field_error(message: str) -> str:
    """Format pydantic's message as the end of a sentence: `Input should be …` as `input should be …`."""
    return lower_first(message.removeprefix("Value error, "))


def lower_first(text: str) -> str:
    """A message as the end of a sentence: its first letter in lower case."""
    return text[:1].lower() + text[1:]
