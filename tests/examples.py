"""How many examples a property is tried with: few in every run, many in `make soak`."""

import os

_SOAKING = 20
"""As many times more examples are tried in `make soak`."""


def is_soak() -> bool:
    """Whether this is a run of `make soak`."""
    return os.environ.get("HYPOTHESIS_PROFILE") == "soak"


def examples(number: int) -> int:
    """Number of examples for a property that takes its time, of which a usual run tries this many."""
    return number * _SOAKING if is_soak() else number
