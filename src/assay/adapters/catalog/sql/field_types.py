"""Type checks of stored values, because SQLite stores any type in any column."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from operator import attrgetter
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")

_JSON: Mapping[object, tuple[type, ...]] = {float: (float, int)}
"""Types that a field may have after a round trip through JSON."""

_TEXTS = frozenset([str])


def find_wrong_type(noun: object) -> str:
    """Describe the first field of a dataclass whose value has the wrong type; "" if there is none.

    Checks fields that are stored in a column or in JSON: text, numbers, flags, times, and tuples of text.
    """
    shape = _shape(type(noun))  # type: ignore[arg-type]  # every class can be hashed
    values = shape.values(noun)
    types = tuple(map(type, values))
    if types in shape.sound:
        for place in shape.texts:
            if values[place] and not _TEXTS.issuperset(map(type, values[place])):
                break
        else:
            return ""
    for (name, kinds, of_text), value in zip(shape.checks, values[1:], strict=True):
        if type(value) not in kinds:
            return f"{name} is {'null' if value is None else type(value).__name__}"
        if of_text and value is not None and not all(type(one) is str for one in value):
            return f"{name} contains a value that is not text"
    shape.sound.add(types)
    return ""


def typed(noun: T, damaged: Callable[[str], Exception]) -> T:
    """Return the noun. Raises damaged(description) if a field has the wrong type."""
    if wrong := find_wrong_type(noun):
        raise damaged(wrong)
    return noun


@dataclass(frozen=True, slots=True)
class _Shape:
    """The fields of a dataclass that are checked.

    checks: name, allowed types, and whether it is a tuple of text.
    values: gets the class, and the value of each.
    texts: places of the tuples of text in `values`.
    sound: the types of values without faults: few, as nearly all nouns are sound.
    """

    checks: list[tuple[str, frozenset[type], bool]]
    values: Callable[[object], tuple[Any, ...]]
    texts: list[int]
    sound: set[tuple[type, ...]] = field(default_factory=set)


@cache
def _shape(noun: Any) -> _Shape:  # noqa: ANN401 - any dataclass
    checks = []
    for name, hint in get_type_hints(noun).items():
        choices = get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)
        kinds = frozenset(kind for choice in choices for kind in _JSON.get(choice, (get_origin(choice) or choice,)))
        kinds = frozenset(dict if kind is Mapping else kind for kind in kinds)
        if all(isinstance(kind, type) for kind in kinds):
            checks.append((name, kinds, any(choice == tuple[str, ...] for choice in choices)))
    texts = [at for at, (_, _, of_text) in enumerate(checks, start=1) if of_text]
    return _Shape(checks, attrgetter("__class__", *(name for name, _, _ in checks)), texts)
