"""Type checks of stored values, because SQLite stores any type in any column."""

from collections.abc import Callable, Mapping
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")

_JSON: Mapping[object, tuple[type, ...]] = {float: (float, int)}
"""Types that a field may have after a round trip through JSON."""


def find_wrong_type(noun: object) -> str:
    """Describe the first field of a dataclass whose value has the wrong type; "" if there is none.

    Checks fields that are stored in a column or in JSON: text, numbers, flags, times, and tuples of text.
    """
    for name, kinds, of_text in _checks(type(noun)):  # type: ignore[arg-type]  # every class can be hashed
        value = getattr(noun, name)
        if type(value) not in kinds:
            return f"{name} is {'null' if value is None else type(value).__name__}"
        if of_text and value is not None and not all(type(one) is str for one in value):
            return f"{name} contains a value that is not text"
    return ""


def typed(noun: T, damaged: Callable[[str], Exception]) -> T:
    """Return the noun. Raises damaged(description) if a field has the wrong type."""
    if wrong := find_wrong_type(noun):
        raise damaged(wrong)
    return noun


@cache
def _checks(noun: Any) -> tuple[tuple[str, frozenset[type], bool], ...]:  # noqa: ANN401 - any dataclass
    """Name, allowed types, and whether it is a tuple of text, for each field to check."""
    found = []
    for name, hint in get_type_hints(noun).items():
        choices = get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)
        kinds = frozenset(kind for choice in choices for kind in _JSON.get(choice, (get_origin(choice) or choice,)))
        kinds = frozenset(dict if kind is Mapping else kind for kind in kinds)
        if all(isinstance(kind, type) for kind in kinds):
            found.append((name, kinds, any(choice == tuple[str, ...] for choice in choices)))
    return tuple(found)
