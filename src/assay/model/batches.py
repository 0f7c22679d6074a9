"""Batches of an iterable. `itertools.batched` needs Python 3.12."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of at most `size` items, in order and lazily."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch
