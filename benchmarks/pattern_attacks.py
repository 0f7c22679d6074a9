"""All regular expressions of the package, with texts that provoke backtracking in each."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from re import _constants as ops
from re import _parser as parser
from typing import Any

import assay
from benchmarks.hostile_inputs import Hostile

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
_WHOLE = ("match", "fullmatch")
"""Methods that match at one position."""

_TAKES = {"_line_rule": "match"}
"""Functions that take a pattern, and the method that they use it with."""

_ANY = "finditer"
"""The method for a pattern whose use is unknown: it tries every position."""

_MOST_PUMPS = 60

LONGEST = 1_024_000
"""Maximum characters of a text."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern with its use in the package. work: applies it to a text."""

    name: str
    pattern: re.Pattern[Any]
    method: str

    def work(self, text: str) -> object:
        """Apply the pattern as its caller does."""
        subject: Any = text.encode("utf-8", "surrogatepass") if isinstance(self.pattern.pattern, bytes) else text
        if self.method in _WHOLE:
            return getattr(self.pattern, self.method)(subject)
        if self.method in {"sub", "subn"}:
            return self.pattern.sub(lambda _: subject[:0], subject)
        if self.method == "split":
            return self.pattern.split(subject)
        if self.method == "search":
            return self.pattern.search(subject)
        return sum(1 for _ in self.pattern.finditer(subject))


def patterns() -> Iterator[Pattern]:
    """Every compiled pattern of every module with each method that uses it, and inline patterns.

    Duplicates are named after the first module.
    """
    seen = set()
    for one in _uses():
        use = (one.pattern, one.method)
        if use not in seen:
            seen.add(use)
            yield one


def _uses() -> Iterator[Pattern]:
    for module in sorted(pkgutil.walk_packages(assay.__path__, "assay."), key=lambda one: one.name):
        if module.name.endswith(("__main__", ".sql.env")) or ".sql.versions" in module.name:
            continue  # importing them runs them
        loaded = importlib.import_module(module.name)
        path = Path(loaded.__file__ or "")
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        used = _used(tree)
        for name, value in vars(loaded).items():
            for pattern in _compiled(value):
                if f"{name} " not in source and f"{name}:" not in source:
                    continue
                if _defined_here(tree, name):
                    for method in used.get(name) or (_ANY,):
                        yield Pattern(f"{module.name.removeprefix('assay.')}.{name} {method}", pattern, method)
        yield from _in_place(module.name.removeprefix("assay."), tree)


def _compiled(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _compiled(one)
    elif isinstance(value, tuple | list | frozenset):
        for one in value:
            yield from _compiled(one)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _compiled(getattr(value, field.name))


def _defined_here(tree: ast.Module, name: str) -> bool:
    plain = (target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets)
    annotated = (node.target for node in tree.body if isinstance(node, ast.AnnAssign))
    targets = (*plain, *annotated)
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def _used(tree: ast.Module) -> dict[str, tuple[str, ...]]:
    """The methods called on each name."""
    found: dict[str, dict[str, None]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in _METHODS:
            base = node.value.value if isinstance(node.value, ast.Subscript) else node.value
            if isinstance(base, ast.Name):
                found.setdefault(base.id, {})[node.attr] = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _TAKES:
            for argument in node.args:
                if isinstance(argument, ast.Name):
                    found.setdefault(argument.id, {})[_TAKES[node.func.id]] = None
    return {name: tuple(methods) for name, methods in found.items()}


def _in_place(module: str, tree: ast.Module) -> Iterator[Pattern]:
    """Inline patterns within functions."""
    calls = {
        node: function.name
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
    }
    for node, name in calls.items():
        if (
            isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in (*_METHODS, "compile")
            and isinstance(node.args[0], ast.Constant)
        ):
            flags = re.IGNORECASE if "IGNORECASE" in ast.unparse(node) else re.NOFLAG
            method = _ANY if node.func.attr == "compile" else node.func.attr
            yield Pattern(f"{module}.{name} re.{node.func.attr}", re.compile(node.args[0].value, flags), method)


# --- texts ---------------------------------------------------------------------------------------------------------


def attacks(pattern: Pattern) -> Iterator[Hostile]:
    """Texts that begin to match at many positions, or match a long prefix and then fail."""
    written = pattern.pattern.pattern
    if isinstance(written, bytes):
        written = written.decode("latin-1")
    tree = parser.parse(
        written, pattern.pattern.flags & ~re.UNICODE if isinstance(pattern.pattern.pattern, bytes) else 0
    )
    pumps = dict.fromkeys(_pumps(tree.data, ""))
    for prefix, pump in list(pumps)[:_MOST_PUMPS]:
        if not pump:
            continue
        for after in ("", "\0", "\n\0"):
            yield Hostile(f"{prefix!r} {pump!r}* {after!r}", _text(prefix, pump, after))
        if prefix:
            yield Hostile(f"({prefix + pump!r})*", _text("", prefix + pump, ""))
            yield Hostile(f"({prefix!r})*", _text("", prefix, ""))
            yield Hostile(f"({prefix!r} )*", _text("", prefix + " ", ""))
            yield Hostile(f"({prefix!r})* {pump!r}*", _halves(prefix, pump))
    whole = _example(tree.data)
    if whole:
        yield Hostile(f"whole {whole!r}", _text("", whole, ""))
        yield Hostile(f"cut {whole[:-1]!r}", _text("", whole[:-1] or "a", "\0"))


def _text(prefix: str, pump: str, after: str) -> Callable[[int], str]:
    return lambda length: prefix + pump * (length // len(pump)) + after


def _halves(first: str, second: str) -> Callable[[int], str]:
    return lambda length: first * (length // 2 // len(first)) + second * (length // 2 // len(second))


def _characters(items: Any) -> list[str]:  # noqa: ANN401 - a tree of the standard library's parser
    """A few characters that a class matches."""
    found: list[str] = []
    excludes = any(op is ops.NEGATE for op, _ in items)
    for op, value in items:
        if op is ops.LITERAL:
            found.append(chr(value))
        elif op is ops.RANGE:
            found.append(chr(value[0]))
        elif op is ops.CATEGORY:
            found += {"CATEGORY_SPACE": [" ", "\n"], "CATEGORY_DIGIT": ["1"], "CATEGORY_WORD": ["a", "_"]}.get(
                str(value), ["a", " "]
            )
    if excludes:
        return [one for one in ("a", " ", "\n", "<", "-", "(") if one not in found][:4] or ["\x7f"]
    return found[:4] or ["a"]


def _example(sequence: Any) -> str:  # noqa: ANN401 - likewise
    """A short text that the sequence probably matches."""
    return "".join(_examples_of(op, value)[0] for op, value in sequence)


def _examples_of(op: Any, value: Any) -> list[str]:  # noqa: ANN401, PLR0911 - likewise; one return for each kind of node
    if op is ops.LITERAL:
        return [chr(value)]
    if op is ops.NOT_LITERAL:
        return ["a"] if value != ord("a") else ["b"]
    if op is ops.ANY:
        return ["a", " ", "\n"]
    if op is ops.IN:
        return _characters(value)
    if op is ops.BRANCH:
        return [_example(branch) for branch in value[1]]
    if op is ops.SUBPATTERN:
        return _inner(value[3])
    if op is ops.ATOMIC_GROUP:
        return _inner(value)
    if op in {ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT}:
        least, _, body = value
        return [one * least for one in _inner(body)] if least else [""]
    return [""]


def _inner(sequence: Any) -> list[str]:  # noqa: ANN401 - likewise
    if len(sequence) == 1:
        return _examples_of(*sequence[0]) or [""]
    return [_example(sequence)]


def _pumps(sequence: Any, prefix: str) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - likewise
    """Repeatable parts, each with a prefix that leads to it."""
    for op, value in sequence:
        if op in {ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT}:
            for body in _inner(value[2]):
                yield prefix, body
            yield from _pumps(value[2], prefix)
        elif op is ops.BRANCH:
            for branch in value[1]:
                yield from _pumps(branch, prefix)
        elif op is ops.SUBPATTERN:
            yield from _pumps(value[3], prefix)
        elif op is ops.ATOMIC_GROUP:
            yield from _pumps(value, prefix)
        elif op in {ops.ASSERT, ops.ASSERT_NOT}:
            yield from _pumps(value[1], prefix)
        prefix += _examples_of(op, value)[0]
