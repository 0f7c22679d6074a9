"""An answer as JSON, and how long it took to make: what is said of that time is written last, when it is known."""

import json
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import NamedTuple

Closing = Callable[[float], Mapping[str, object]]
"""The last fields of an answer, from the milliseconds that formatting the others took."""


class Formatted(NamedTuple):
    """An answer as it is sent. milliseconds: spent on all but its last fields."""

    content: bytes
    milliseconds: float


def format_answer(project: Callable[[], Mapping[str, object]], closing: Closing | None = None) -> Formatted:
    """Format an answer, and let it say how long that took.

    project: makes the fields.
    closing: makes further fields from the milliseconds that the others took; none may have the name of another.
    """
    started = perf_counter()
    content = to_json(project())
    milliseconds = (perf_counter() - started) * 1000.0
    if closing is not None:
        last = to_json(closing(milliseconds))
        comma = b"," if len(content) > len(b"{}") and len(last) > len(b"{}") else b""
        content = content[:-1] + comma + last[1:]
    return Formatted(content, milliseconds)


def to_json(body: Mapping[str, object]) -> bytes:
    """A body as compact JSON in UTF-8. Raises ValueError for NaN and the infinities."""
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")
