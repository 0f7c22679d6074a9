"""Whether the values of a row have the types of the noun that they make: SQLite keeps anything in any column."""

from collections.abc import Callable, Mapping
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")

_JSON: Mapping[object, tuple[type, ...]] = {float: (float, int)}
"""Types that JSON gives for one of ours."""


def wrong_field(noun: object) -> str:
    """The first field of a dataclass whose value is not of its type, in words; "" where all are.

    Only what is kept in a column or in JSON is looked at: text, numbers, flags, times, and tuples of text.
    """
    for name, kinds, of_text in _checks(type(noun)):  # type: ignore[arg-type]  # every class can be hashed
        value = getattr(noun, name)
        if type(value) not in kinds:
            return f"{name} is {'null' if value is None else type(value).__name__}"
        if of_text and value is not None and not all(type(one) is str for one in value):
            return f"{name} holds something else than text"
    return ""


def typed(noun: T, damaged: Callable[[str], Exception]) -> T:
    """The noun itself. Raises what `damaged` makes of the words for a field of another type."""
    if wrong := wrong_field(noun):
        raise damaged(wrong)
    return noun


@cache
def _checks(noun: Any) -> tuple[tuple[str, frozenset[type], bool], ...]:  # noqa: ANN401 - any dataclass
    """Of each field that is looked at: its name, the types that it may have, and whether it is a tuple of text."""
    found = []
    for name, hint in get_type_hints(noun).items():
        choices = get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)
        kinds = frozenset(kind for choice in choices for kind in _JSON.get(choice, (get_origin(choice) or choice,)))
        kinds = frozenset(dict if kind is Mapping else kind for kind in kinds)
        if all(isinstance(kind, type) for kind in kinds):
            found.append((name, kinds, any(choice == tuple[str, ...] for choice in choices)))
    return tuple(found)
