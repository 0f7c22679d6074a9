"""Messages about invalid settings and unknown variables: the setting, its source, and a suggestion."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from assay.model.field_errors import field_error
from assay.model.spelling import nearest
from assay.settings.sources import SourceSettings

_PREFIX = "ASSAY_"

_NOT_SETTINGS = re.compile(r"ASSAY_(API_KEY|KEY|SHARED|(SERVICE_(HOST|PORT)|PORT)(_.*)?)")
"""Variables with the prefix that are no settings: those of commands, examples and tests, and those that Kubernetes sets
in each container for a service called `assay`."""

_SETTING_SIMILARITY, _VARIABLE_SIMILARITY, _FOREIGN_SIMILARITY = 0.7, 0.8, 0.87
"""Lowest similarity, from 0 to 1, of a misspelled name to the suggested one: of settings, of variables with the prefix
`ASSAY_`, and of other variables, which may belong to another program."""

_SYNONYMS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("folder", "directory", "dir", "docs", "file", "root"), ("path",)),
    **dict.fromkeys(("site", "address", "uri", "href", "link"), ("url",)),
    **dict.fromkeys(("k", "limit", "results"), ("top_k",)),
    **dict.fromkeys(("size", "chunk_size"), ("max_characters",)),
    **dict.fromkeys(("test_set", "topics", "queries"), ("testset",)),
    **dict.fromkeys(("max_page_drop", "max_page_loss", "max_removed_pages", "max_lost_pages"), ("max_page_fall",)),
    **dict.fromkeys(("max_anchor_drop", "max_anchor_loss"), ("max_anchor_fall",)),
}
"""Other names for a setting, suggested in a table that has the setting."""

_TYPE_MESSAGES = {
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "model_type": "must be a table",
    "dict_type": "must be a table",
    "mapping_type": "must be a table",
    "path_type": "must be a path",
}

_SECRET = re.compile(r"key|token(?!s)|password|secret|catalog\.url|(embedding|rerank)\.base_url|headers", re.IGNORECASE)
"""Settings whose values must not appear in a message."""

Location = Sequence[int | str]


@dataclass(frozen=True, slots=True)
class Given:
    """The values from each source of settings; earlier fields win.

    flags: nested values of flags or arguments.
    environment: all environment variables.
    file, path: nested values of the configuration file, and its path.
    """

    flags: Mapping[str, Any]
    environment: Mapping[str, str]
    file: Mapping[str, Any]
    path: str

    def origin(self, location: Location) -> str:
        """Name the sources of a setting, or of the nearest table above it; empty if there is none."""
        for length in range(len(location), 0, -1):
            part = tuple(location[:length])
            origins = ["a flag or an argument"] if _contains(self.flags, part) else []
            origins += [f"the variable {name}" for name in self._variables(part)]
            origins += [self.path] if _contains(self.file, part) else []
            if origins:  # tables of several sources are merged, lists and values are not
                merged = length < len(location) or not self._is_value(part)
                in_list = any(isinstance(step, int) for step in part)
                return " and ".join(origins) if merged and not in_list else origins[0]
        return ""

    def _is_value(self, location: Location) -> bool:
        return self._variables(location) == [variable_of(location)] or any(
            _contains(values, location) and not isinstance(_at(values, location), Mapping)
            for values in (self.flags, self.file)
        )

    def _variables(self, location: Location) -> list[str]:
        """The variables that set a setting, or settings of a table."""
        own = variable_of(location)
        return [
            name
            for name, value in self.environment.items()
            if name.upper() == own or name.upper().startswith(f"{own}__") or _contains_json(name, value, location)
        ]


def variable_of(location: Location) -> str:
    """The environment variable of a setting."""
    return _PREFIX + "__".join(str(part).upper() for part in location)


def _contains_json(name: str, value: str, location: Location) -> bool:
    """Whether a variable with the JSON of a table or list has a value at the location."""
    for length in range(1, len(location)):
        if name.upper() == variable_of(location[:length]):
            try:
                return _contains(json.loads(value), location[length:])
            except (ValueError, RecursionError):
                return False
    return False


def _at(values: Any, location: Location) -> Any:  # noqa: ANN401 - parsed TOML or JSON
    """The value at a location. Raises LookupError, TypeError."""
    for part in location:
        values = values[part]
    return values


def _contains(values: Any, location: Location) -> bool:  # noqa: ANN401 - parsed TOML or JSON
    try:
        _at(values, location)
    except (LookupError, TypeError):
        return False
    return True


def explain(error: ValidationError, settings: type[BaseModel], given: Given) -> str:
    """Explain the invalid settings, in one sentence for each source."""
    problems: dict[str, list[str]] = {}
    for problem in error.errors(include_url=False, include_context=False):
        problems.setdefault(given.origin(problem["loc"]), []).append(_describe(problem, settings))
    sentences = []
    for origin, descriptions in problems.items():
        text = f"These settings{f' (in {origin})' if origin else ''} cannot be used: {'; '.join(descriptions)}"
        sentences.append(text if text.endswith("?") else f"{text}.")
    return " ".join(sentences)


def _describe(problem: ErrorDetails, settings: type[BaseModel]) -> str:
    name = ".".join(str(part) for part in problem["loc"]) or "settings"
    if problem["type"] == "extra_forbidden":
        suggestion = _suggest(problem["loc"], settings)
        return f"{name}: there is no such setting" + (f"; did you mean {suggestion}?" if suggestion else "")
    hidden = _SECRET.search(name) or isinstance(problem["input"], Mapping)  # a table may contain a secret
    value = "" if hidden else f" = {problem['input']!r}"
    return f"{name}{value}: {_TYPE_MESSAGES.get(problem['type']) or field_error(problem['msg'])}"


def _suggest(location: Location, settings: type[BaseModel]) -> str:
    """The setting with the name most similar to an unknown one; empty if none is similar."""
    *above, wrong = location
    tables: list[tuple[str, type[BaseModel]]] = [("", settings)]
    for part in above:
        if isinstance(part, int):  # an index of a list
            tables[-1] = (f"{tables[-1][0]}{part}.", tables[-1][1])
            continue
        field = tables[-1][1].model_fields.get(part)
        table = SourceSettings if part == "sources" else field.annotation if field else None
        if not (isinstance(table, type) and issubclass(table, BaseModel)):
            return ""
        tables.append((f"{tables[-1][0]}{part}.", table))
    prefix, table = tables[-1]
    meant = (name for name in _SYNONYMS.get(str(wrong), ()) if name in table.model_fields)
    near = next(meant, None) or nearest(str(wrong), table.model_fields, cutoff=_SETTING_SIMILARITY)
    if near:
        return f"{prefix}{near}"
    elsewhere = [path for path in _paths(settings) if path.rpartition(".")[2] == wrong]
    return elsewhere[0] if len(elsewhere) == 1 else ""


def unknown_variables(settings: type[BaseModel], environment: Mapping[str, str]) -> list[str]:
    """Warn about each variable that looks like a setting and sets nothing, in a sentence each.

    An unknown name in an existing table, such as ASSAY_SEARCH__MOD, is an error instead; see `explain`.
    """
    known = {variable_of(path.split(".")) for path in _paths(settings)}
    tables = tuple(f"{name}__" for name in known)
    sentences = []
    for name in sorted(environment):
        upper = name.upper()
        if (
            not upper.startswith("ASSAY")
            or upper in known
            or upper.startswith(tables)
            or _NOT_SETTINGS.fullmatch(upper)
        ):
            continue
        has_prefix = upper.startswith(_PREFIX)
        cutoff = _VARIABLE_SIMILARITY if has_prefix else _FOREIGN_SIMILARITY
        if suggestion := nearest(upper, known, cutoff=cutoff):
            sentences.append(f"The environment variable {name} sets nothing; did you mean {suggestion}?")
        elif has_prefix:
            sentences.append(f"The environment variable {name} sets nothing: there is no such setting.")
    return sentences


def _paths(table: type[BaseModel], above: str = "") -> Iterator[str]:
    """The paths of all settings and tables, such as `search.top_k`."""
    for name, field in table.model_fields.items():
        yield f"{above}{name}"
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _paths(field.annotation, f"{above}{name}.")
