"""A field that breaks its rule, as messages name it and say what is wrong."""

from collections.abc import Sequence


def field_path(location: Sequence[int | str], whole: str) -> str:
    """`("filters", "versions", 0)` as `filters.versions[0]`. whole: the name of the place that holds all fields."""
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path or whole


def field_error(message: str) -> str:
    """Pydantic's message as the end of a sentence: `Input should be …` as `input should be …`."""
    plain = message.removeprefix("Value error, ")
    return f"{plain[:1].lower()}{plain[1:]}"
