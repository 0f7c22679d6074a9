"""YAML from untrusted files: no code runs, and size, depth and aliases are limited."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from assay.errors import InputError

MAX_CHARACTERS = 262_144
"""Longest text that is parsed; typical files are a hundredth of it."""

MAX_NODES = 10_000
"""Most values after aliases are expanded."""

MAX_DEPTH = 50
"""Deepest nesting."""

_STRING = "tag:yaml.org,2002:str"
_NULL = "tag:yaml.org,2002:null"

# PyYAML built without libyaml has only the slow loader.
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# Errors that PyYAML's constructors raise when a scalar does not fit its tag: `!!int x`, `2024-13-45`, `!!bool x`.
_CONVERSION_ERRORS = (ValueError, LookupError, AttributeError, TypeError, OverflowError, RecursionError)


@dataclass(frozen=True, slots=True)
class PythonName:
    """A Python object that a tolerant parse found named: `!!python/name:a.b`, or `!!python/object/apply:a.b`.

    keywords: its keyword arguments.
    """

    name: str
    keywords: Mapping[str, object] = field(default_factory=dict)


class _StrictLoader(_SafeLoader):  # type: ignore[misc]  # the base class is chosen at run time
    """Rejects unknown tags."""


class _TolerantLoader(_StrictLoader):
    """Reads unknown tags as None, Python's names as PythonName, and `!ENV [NAME, default]` as its default."""


def _environment_default(loader: yaml.SafeLoader, _suffix: str, node: yaml.Node) -> object:
    if isinstance(node, yaml.SequenceNode) and len(node.value) > 1:
        default: object = loader.construct_object(node.value[-1], deep=True)
        return default
    return None


def _python_name(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> object:
    kind, _, name = suffix.partition(":")
    values = loader.construct_mapping(node, deep=True) if isinstance(node, yaml.MappingNode) else {}
    keywords = values.get("kwds", {})
    if kind not in {"name", "object/apply"}:
        return None
    return PythonName(name, keywords if isinstance(keywords, dict) else {})


# A single `=` has its own type in YAML 1.1, for which PyYAML has no constructor.
_StrictLoader.add_constructor("tag:yaml.org,2002:value", lambda _, node: str(node.value))
_TolerantLoader.add_multi_constructor("!ENV", _environment_default)
_TolerantLoader.add_multi_constructor("!", lambda *_: None)
_TolerantLoader.add_multi_constructor("tag:yaml.org,2002:python/", _python_name)


def load_yaml(text: str, *, first_line: int = 1, text_keys: Collection[str] = (), tolerant: bool = False) -> object:
    """Parse the YAML document in a text; None when it is empty.

    first_line: line of the file where the text starts, for error messages.
    text_keys: keys of the top mapping whose scalars, and whose lists' scalars, are kept as written (`title: yes` is
        "yes", `title: 1.10` is "1.10").
    tolerant: read `!!python/name:…` as a PythonName, and unknown tags as None, instead of rejecting them.

    Keys of the top mapping are strings. Raises InputError, with the line if known, for text that is not YAML, is too
    long or too deep, or grows beyond MAX_NODES through aliases.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"line {first_line}: {len(text):,} characters of YAML, over the limit of {MAX_CHARACTERS:,}")
    loader = (_TolerantLoader if tolerant else _StrictLoader)(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _check_size(node, first_line)
        _keep_as_written(node, text_keys)
        result: object = loader.construct_document(node)
    except InputError:
        raise
    except yaml.YAMLError as error:
        raise InputError(_explain(error, first_line)) from None
    except _CONVERSION_ERRORS as error:
        raise InputError(f"line {first_line}: a YAML value does not fit its type ({error})") from None
    finally:
        loader.dispose()
    return result


def _check_size(root: yaml.Node, first_line: int) -> None:
    """Reject a tree that is too deep, contains itself, or is too large after its aliases are expanded."""
    sizes: dict[int, int] = {}
    open_nodes: set[int] = set()

    def measure(node: yaml.Node, depth: int) -> int:
        line = first_line + node.start_mark.line
        if depth > MAX_DEPTH:
            raise InputError(f"line {line}: YAML is nested more than {MAX_DEPTH} deep")
        if id(node) in open_nodes:
            raise InputError(f"line {line}: a YAML alias is inside the value it refers to")
        if id(node) not in sizes:
            open_nodes.add(id(node))
            sizes[id(node)] = 1 + sum(measure(child, depth + 1) for child in _children(node))
            open_nodes.discard(id(node))
        if sizes[id(node)] > MAX_NODES:
            raise InputError(f"line {line}: YAML aliases expand to more than {MAX_NODES:,} values")
        return sizes[id(node)]

    measure(root, 0)


def _children(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _keep_as_written(root: yaml.Node, text_keys: Collection[str]) -> None:
    if not isinstance(root, yaml.MappingNode):
        return
    for key, value in root.value:
        if not isinstance(key, yaml.ScalarNode):
            continue
        if key.value != "<<":
            key.tag = _STRING
        if key.value in text_keys:
            for scalar in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                if isinstance(scalar, yaml.ScalarNode) and scalar.tag != _NULL:
                    scalar.tag = _STRING


def _explain(error: yaml.YAMLError, first_line: int) -> str:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"line {first_line + (mark.line if mark else 0)}: not valid YAML ({problem})"
