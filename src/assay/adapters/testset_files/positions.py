"""Positions of values in a YAML or JSON text, for the lines of faults and for edits."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from assay.errors import InputError
from assay.model.located import Locate, Path, Place


class MarkKind(Enum):
    """Kind of the value that begins or ends at a mark."""

    MAPPING = auto()
    SEQUENCE = auto()
    END = auto()
    SCALAR = auto()
    ALIAS = auto()


class Mark(NamedTuple):
    """A parser event with its position.

    start, end: character offsets. The beginning of a block mapping or sequence is its first key or dash, with equal
        start and end; its end is where the parser noticed it.
    line, column: of start, from 0.
    flow: whether it has brackets (always in JSON).
    value: a scalar's text; "" for other kinds.
    block_scalar: whether it is a scalar that begins with | or >.
    """

    kind: MarkKind
    start: int
    end: int
    line: int
    column: int
    flow: bool = False
    value: str = ""
    block_scalar: bool = False


@dataclass(slots=True)
class Node:
    """A value with its children. keys: of a mapping, parallel to items."""

    mark: Mark
    end: int
    keys: list["Node"] = field(default_factory=list)
    items: list["Node"] = field(default_factory=list)

    @property
    def content_end(self) -> int:
        """Offset after its last character, without following comments and blank lines."""
        if self.mark.kind in {MarkKind.SCALAR, MarkKind.ALIAS} or self.mark.flow or not self.items:
            return self.end
        return max(self.items[-1].content_end, self.keys[-1].end if self.keys else 0)

    def at(self, key: str) -> "Node | None":
        """The value of a key; None if it is missing."""
        return next((item for name, item in zip(self.keys, self.items, strict=True) if name.mark.value == key), None)


def lines_of(marks: Iterable[Mark], wanted: Collection[Path]) -> dict[Path, int]:
    """Line, from 1, of each path, or of its longest existing prefix."""
    if not wanted:
        return {}
    prefixes = {path[:length] for path in wanted for length in range(len(path) + 1)}
    found: dict[Path, int] = {}
    for path, mark in _walk(marks, prefixes):
        found.setdefault(path, mark.line + 1)
    return {path: _longest(found, path) for path in wanted}


def locator(text: str, name: str, marks: Callable[[str], Iterable[Mark]]) -> Locate:
    """A function that finds the places of values in a text. marks: yields the marks of a text of its format."""

    def locate(paths: Collection[Path]) -> dict[Path, Place]:
        return {path: Place(name, line) for path, line in lines_of(marks(text), paths).items()}

    return locate


def node_at(marks: Iterable[Mark], path: Path) -> Node:
    """The value at a path with its children. Raises InputError if it is missing."""
    prefixes = {path[:length] for length in range(len(path) + 1)}
    steps = iter(marks)
    for here, mark in _walk(steps, prefixes):
        if here == path:
            # For a key, _walk yields the key's mark, and the value's follows; for an item, the item's.
            own = next(steps) if path and isinstance(path[-1], str) else mark
            return _node(own, steps)
    raise InputError(f"There is no value at {'/'.join(map(str, path))}.")


def items_at(marks: Iterable[Mark], key: str, wanted: Collection[int]) -> dict[int, Node]:
    """Items by index, with their children, of the list under a key of the outermost mapping.

    Raises InputError without that list; missing indexes are left out.
    """
    steps = iter(marks)
    if not any(path == (key,) for path, _ in _walk(steps, {(), (key,)})) or next(steps).kind is not MarkKind.SEQUENCE:
        raise InputError(f"There is no list of {key}.")
    found: dict[int, Node] = {}
    for place, step in enumerate(iter(lambda: next(steps), None)):
        if step.kind is MarkKind.END:
            break
        if place in wanted:
            found[place] = _node(step, steps)
        elif step.kind not in {MarkKind.SCALAR, MarkKind.ALIAS}:
            _skip(steps)
    return found


def _walk(steps: Iterable[Mark], wanted: Collection[Path]) -> Iterator[tuple[Path, Mark]]:
    """Each wanted path with the mark of its key or item."""
    iterator = iter(steps)
    here: list[str | int] = []
    open_: list[MarkKind] = []
    counts: list[int] = []
    for mark in iterator:
        kind = mark.kind
        if kind is MarkKind.END:
            open_.pop()
            counts.pop()
            if here:
                here.pop()
            continue
        if open_ and open_[-1] is MarkKind.MAPPING:
            here.append(mark.value)
            yield_path = tuple(here)
            if yield_path in wanted:
                yield yield_path, mark
            value = next(iterator)
        else:
            if open_:
                here.append(counts[-1])
                counts[-1] += 1
            yield_path = tuple(here)
            if yield_path in wanted:
                yield yield_path, mark
            value = mark
        if value.kind in {MarkKind.SCALAR, MarkKind.ALIAS}:
            if open_:
                here.pop()
        elif yield_path in wanted:
            open_.append(value.kind)
            counts.append(0)
        else:
            _skip(iterator)
            here.pop()


def _skip(iterator: Iterator[Mark]) -> None:
    depth = 1
    for mark in iterator:
        if mark.kind is MarkKind.END:
            depth -= 1
            if not depth:
                return
        elif mark.kind not in {MarkKind.SCALAR, MarkKind.ALIAS}:
            depth += 1


def _node(mark: Mark, steps: Iterator[Mark]) -> Node:
    node = Node(mark, mark.end)
    if mark.kind in {MarkKind.SCALAR, MarkKind.ALIAS}:
        return node
    for step in steps:
        if step.kind is MarkKind.END:
            node.end = step.end
            return node
        if mark.kind is MarkKind.MAPPING:
            node.keys.append(_node(step, steps))
            node.items.append(_node(next(steps), steps))
        else:
            node.items.append(_node(step, steps))
    return node


def _longest(found: dict[Path, int], path: Path) -> int:
    return next((found[path[:length]] for length in range(len(path), -1, -1) if path[:length] in found), 0)
