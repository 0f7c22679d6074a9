"""A response as JSON that reports its own formatting time, in fields that are appended at the end."""

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import NamedTuple

import pydantic_core

LastFields = Callable[[float], Mapping[str, object]]
"""Makes the last fields of a response from the formatting time of the others, in milliseconds."""


class Formatted(NamedTuple):
    """A response body. milliseconds: formatting time without the last fields."""

    content: bytes
    milliseconds: float


def format_answer(project: Callable[[], Mapping[str, object]], last_fields: LastFields | None = None) -> Formatted:
    """Format a response.

    project: makes the fields.
    last_fields: makes the fields that depend on the formatting time; their names must be new.
    """
    started = perf_counter()
    content = to_json(project())
    milliseconds = (perf_counter() - started) * 1000.0
    if last_fields is not None:
        last = to_json(last_fields(milliseconds))
        comma = b"," if len(content) > len(b"{}") and len(last) > len(b"{}") else b""
        content = content[:-1] + comma + last[1:]
    return Formatted(content, milliseconds)


def to_json(body: Mapping[str, object]) -> bytes:
    """A body as compact JSON in UTF-8. NaN and the infinities, which no field has, become null."""
    return pydantic_core.to_json(body, inf_nan_mode="null")
