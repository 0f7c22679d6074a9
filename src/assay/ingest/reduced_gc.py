"""How often Python looks for garbage that reference counting leaves, while a build makes small objects by the million.

Pages are trees: nearly all of them goes by reference counting. Looking for the rest at every 700th new object takes a
fifth of the time that reading takes.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_OBJECTS = 20_000
"""A few megabytes at most."""


@contextmanager
def reduced_gc() -> Iterator[None]:
    """Look at every 20,000th object for as long as this lasts; seldomer, or never, if that is how it was set."""
    before = gc.get_threshold()
    if 0 < before[0] < _OBJECTS:
        gc.set_threshold(_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
