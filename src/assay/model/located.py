"""Values read from a file, each with a way back to the line on which it stands."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from assay.errors import InputError

MOST_PROBLEMS = 20
"""How many of what is wrong with a file are told; the others are counted."""

Path = tuple[str | int, ...]
"""The way from the outermost value to one inside it: keys of mappings, and places in lists from 0."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, from 1; 0 where it is about the file as a whole."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class Unparsed(InputError):
    """A file stops being what it should be at some place, and nothing can be said of the rest."""

    def __init__(self, problem: "Problem") -> None:
        super().__init__(f"{problem}.")
        self.problem = problem


Locate = Callable[[Collection[Path]], Mapping[Path, Place]]
"""The place of each of these paths: of the key in a mapping, of the item in a list; of what is around it where there is
no such value."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about a file that a person should know.

    where: what of the file it is about, in words; "" where the message says it.
    """

    place: Place
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.where}: {self.message}" if self.where else f"{self.place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Located:
    """What a file says, as plain values: dict, list, str, int, float, bool and None.

    Places are found only when they are asked for, because a file without faults is read many times faster without.

    name: what the file is called in messages.
    locate: see Locate.
    problems: what is wrong with the file and cannot be seen in the value, such as a key that is there twice.
    """

    value: object
    name: str
    locate: Locate
    problems: tuple[Problem, ...] = ()


def places_among(known: Mapping[Path, Place], otherwise: Place) -> Locate:
    """Finds places among those that were noted while reading: the longest part of a path that is there."""

    def locate(paths: Collection[Path]) -> dict[Path, Place]:
        return {path: _nearest(known, path) or otherwise for path in paths}

    return locate


def refuse(name: str, problems: Sequence[Problem], count: int | None = None) -> InputError:
    """The error that tells the first MOST_PROBLEMS problems of a file, and how many more there are.

    count: how many there are in all, where problems has only the first of them.
    """
    total = len(problems) if count is None else count
    shown = problems[:MOST_PROBLEMS]
    lines = [f"{name} cannot be used: {total:,} {'thing is' if total == 1 else 'things are'} wrong with it."]
    lines += [f"  {problem}" for problem in shown]
    if total > len(shown):
        lines.append(f"  … and {total - len(shown):,} more.")
    return InputError("\n".join(lines))


def _nearest(known: Mapping[Path, Place], path: Path) -> Place | None:
    return next((known[path[:length]] for length in range(len(path), -1, -1) if path[:length] in known), None)
