"""Consecutive parts of a sequence. `itertools.batched` is not in Python 3.11."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of at most `size` items, in order, read as they are asked for; none of nothing."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch
