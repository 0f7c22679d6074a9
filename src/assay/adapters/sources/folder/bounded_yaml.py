"""YAML from files that nobody vouches for: nothing in it runs, and no few lines of it can fill the memory."""

from collections.abc import Collection
from typing import Any

import yaml

from assay.errors import InputError

MAX_CHARACTERS = 262_144
"""The longest text that is parsed; front matter and site configurations are a hundredth of it."""

MAX_NODES = 10_000
"""The most values after every alias is replaced by what it stands for."""

MAX_DEPTH = 50
"""The deepest nesting."""

_STRING = "tag:yaml.org,2002:str"
_NULL = "tag:yaml.org,2002:null"

# PyYAML built without libyaml has only the slow loader.
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# What PyYAML's constructors let through when a scalar does not fit its tag: `!!int x`, `2024-13-45`, `!!bool x`.
_MISFITS = (ValueError, LookupError, AttributeError, TypeError, OverflowError, RecursionError)


class _StrictLoader(_SafeLoader):  # type: ignore[misc]  # the base class is chosen at run time
    """Refuses tags that it does not know."""


class _TolerantLoader(_StrictLoader):
    """Reads tags that it does not know as absent values, and `!ENV [NAME, default]` as its default."""


def _plain(_loader: yaml.SafeLoader, node: yaml.ScalarNode) -> str:
    return str(node.value)


def _environment(loader: yaml.SafeLoader, _suffix: str, node: yaml.Node) -> object:
    if isinstance(node, yaml.SequenceNode) and len(node.value) > 1:
        default: object = loader.construct_object(node.value[-1], deep=True)
        return default
    return None


def _absent(_loader: yaml.SafeLoader, _suffix: str, _node: yaml.Node) -> None:
    return None


# A lone `=` has a type of its own in YAML 1.1, for which PyYAML has no constructor.
_StrictLoader.add_constructor("tag:yaml.org,2002:value", _plain)
_TolerantLoader.add_multi_constructor("!ENV", _environment)
_TolerantLoader.add_multi_constructor("!", _absent)
_TolerantLoader.add_multi_constructor("tag:yaml.org,2002:python/", _absent)


def load_yaml(text: str, *, first_line: int = 1, text_keys: Collection[str] = (), tolerant: bool = False) -> object:
    """The one YAML document in text; None when it is empty.

    first_line: line of the file at which text begins, for the message of an error.
    text_keys: keys of the outermost mapping whose scalars, and whose lists' scalars, are kept as they are written
        (`title: yes` is "yes", `title: 1.10` is "1.10").
    tolerant: read unknown tags (`!!python/name:…`) as None instead of refusing them.

    Keys of the outermost mapping are strings. Raises InputError, with the line where it is known, for text that is
    not YAML, is too long or too deep, or grows beyond MAX_NODES through its aliases.
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
    except _MISFITS as error:
        raise InputError(f"line {first_line}: a YAML value does not fit its type ({error})") from None
    finally:
        loader.dispose()
    return result


def _check_size(root: yaml.Node, first_line: int) -> None:
    """Refuse a tree that is too deep, contains itself, or is too large once its aliases are followed."""
    sizes: dict[int, int] = {}
    open_nodes: set[int] = set()

    def weigh(node: yaml.Node, depth: int) -> int:
        line = first_line + node.start_mark.line
        if depth > MAX_DEPTH:
            raise InputError(f"line {line}: YAML is nested more than {MAX_DEPTH} deep")
        if id(node) in open_nodes:
            raise InputError(f"line {line}: a YAML alias stands inside what it names")
        if id(node) not in sizes:
            open_nodes.add(id(node))
            sizes[id(node)] = 1 + sum(weigh(child, depth + 1) for child in _children(node))
            open_nodes.discard(id(node))
        if sizes[id(node)] > MAX_NODES:
            raise InputError(f"line {line}: YAML aliases grow to more than {MAX_NODES:,} values")
        return sizes[id(node)]

    weigh(root, 0)


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
                _as_string(scalar)


def _as_string(node: yaml.Node) -> None:
    if isinstance(node, yaml.ScalarNode) and node.tag != _NULL:
        node.tag = _STRING


def _explain(error: yaml.YAMLError, first_line: int) -> str:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"line {first_line + (mark.line if mark else 0)}: not valid YAML ({problem})"
