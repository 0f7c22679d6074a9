"""Values parsed from a file, with the line of each value."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from assay.errors import InputError

MOST_PROBLEMS = 20
"""Maximum number of problems that a message lists."""

Path = tuple[str | int, ...]
"""Location of a nested value: keys of mappings, and indexes of lists from 0."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, from 1; 0 for the file as a whole."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class Unparsed(InputError):
    """A syntax error, after which the rest of the file cannot be parsed."""

    def __init__(self, problem: "Problem") -> None:
        super().__init__(f"{problem}.")
        self.problem = problem


Locate = Callable[[Collection[Path]], Mapping[Path, Place]]
"""Finds the place of each path: of the key in a mapping, or the item in a list; else of the enclosing value."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in a file. where: the affected part in words; "" if the message contains it."""

    place: Place
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.where}: {self.message}" if self.where else f"{self.place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Located:
    """The content of a file as plain values: dict, list, str, int, float, bool and None.

    Places are computed on demand, because parsing without them is many times faster.

    name: of the file in messages.
    problems: problems that are not visible in the value, such as duplicate keys.
    """

    value: object
    name: str
    locate: Locate
    problems: tuple[Problem, ...] = ()


def places_among(known: Mapping[Path, Place], otherwise: Place) -> Locate:
    """A Locate over known places, which uses the longest known prefix of a path."""

    def locate(paths: Collection[Path]) -> dict[Path, Place]:
        return {path: _nearest(known, path) or otherwise for path in paths}

    return locate


def refuse(name: str, problems: Sequence[Problem], count: int | None = None) -> InputError:
    """The error that lists the first MOST_PROBLEMS problems of a file.

    count: total number of problems, if `problems` has only the first ones.
    """
    total = len(problems) if count is None else count
    first = problems[:MOST_PROBLEMS]
    lines = [f"{name} cannot be used: it has {total:,} {'problem' if total == 1 else 'problems'}."]
    lines += [f"  {problem}" for problem in first]
    if total > len(first):
        lines.append(f"  … and {total - len(first):,} more.")
    return InputError("\n".join(lines))


def _nearest(known: Mapping[Path, Place], path: Path) -> Place | None:
    return next((known[path[:length]] for length in range(len(path), -1, -1) if path[:length] in known), None)
