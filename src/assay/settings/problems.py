"""Settings that cannot be used, and variables that set nothing, in words: which, from where, and what may be meant."""

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
"""Variables with our prefix that are no settings: of commands, examples and tests; and those that Kubernetes sets in
each container for a service called `assay`."""

_SPELLED_NEARLY, _NEARLY, _VERY_NEARLY = 0.7, 0.8, 0.87
"""How alike two names are, from 0 to 1, when one is taken for a misspelling of the other: settings, variables with our
prefix, and variables that may be of somebody else."""

_OTHER_WORDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("folder", "directory", "dir", "docs", "file", "root"), ("path",)),
    **dict.fromkeys(("site", "address", "uri", "href", "link"), ("url",)),
    **dict.fromkeys(("k", "limit", "results"), ("top_k",)),
    **dict.fromkeys(("size", "chunk_size"), ("max_characters",)),
    **dict.fromkeys(("test_set", "topics", "queries"), ("testset",)),
}
"""Other words that people use for a setting; each holds in a table that has the setting."""

_WORDING = {
    "tuple_type": "has to be a list",
    "list_type": "has to be a list",
    "model_type": "has to be a table",
    "dict_type": "has to be a table",
    "path_type": "has to be a path",
}

_SECRET = re.compile(r"key|token(?!s)|password|secret|catalog\.url|embedding\.base_url|headers", re.IGNORECASE)
"""Settings whose values are not repeated in a message."""

Location = Sequence[int | str]


@dataclass(frozen=True, slots=True)
class Given:
    """What each source of settings gives; an earlier one wins.

    flags: nested values of flags or arguments.
    environment: all variables.
    file, path: nested values of the configuration file, and where it is.
    """

    flags: Mapping[str, Any]
    environment: Mapping[str, str]
    file: Mapping[str, Any]
    path: str

    def place(self, location: Location) -> str:
        """Where a setting, or the nearest table above it, was given, for a message; empty where nowhere."""
        for length in range(len(location), 0, -1):
            part = tuple(location[:length])
            places = ["a flag or an argument"] if _holds(self.flags, part) else []
            places += [f"the variable {name}" for name in self._variables(part)]
            places += [self.path] if _holds(self.file, part) else []
            if places:  # tables of several sources are merged, lists and values are not
                merged = length < len(location) or not self._is_value(part)
                return " and ".join(places) if merged and not any(isinstance(one, int) for one in part) else places[0]
        return ""

    def _is_value(self, location: Location) -> bool:
        return self._variables(location) == [variable_of(location)] or any(
            _holds(values, location) and not isinstance(_at(values, location), Mapping)
            for values in (self.flags, self.file)
        )

    def _variables(self, location: Location) -> list[str]:
        """The variables that hold a setting, or settings of a table."""
        own = variable_of(location)
        return [
            name
            for name, value in self.environment.items()
            if name.upper() == own or name.upper().startswith(f"{own}__") or _holds_json(name, value, location)
        ]


def variable_of(location: Location) -> str:
    """The environment variable of a setting."""
    return _PREFIX + "__".join(str(part).upper() for part in location)


def _holds_json(name: str, value: str, location: Location) -> bool:
    """Whether a variable of a table or list has a value in its JSON at the location."""
    for length in range(1, len(location)):
        if name.upper() == variable_of(location[:length]):
            try:
                return _holds(json.loads(value), location[length:])
            except (ValueError, RecursionError):
                return False
    return False


def _at(values: Any, location: Location) -> Any:  # noqa: ANN401 - parsed TOML or JSON
    """The value at a location. Raises LookupError, TypeError."""
    for part in location:
        values = values[part]
    return values


def _holds(values: Any, location: Location) -> bool:  # noqa: ANN401 - parsed TOML or JSON
    try:
        _at(values, location)
    except (LookupError, TypeError):
        return False
    return True


def explain(error: ValidationError, settings: type[BaseModel], given: Given) -> str:
    """One sentence for each place in which settings are wrong."""
    lines: dict[str, list[str]] = {}
    for problem in error.errors(include_url=False, include_context=False):
        lines.setdefault(given.place(problem["loc"]), []).append(_line(problem, settings))
    sentences = []
    for place, told in lines.items():
        text = f"These settings{f' (in {place})' if place else ''} cannot be used: {'; '.join(told)}"
        sentences.append(text if text.endswith("?") else f"{text}.")
    return " ".join(sentences)


def _line(problem: ErrorDetails, settings: type[BaseModel]) -> str:
    name = ".".join(str(part) for part in problem["loc"]) or "settings"
    if problem["type"] == "extra_forbidden":
        meant = _meant(problem["loc"], settings)
        return f"{name}: there is no such setting" + (f"; did you mean {meant}?" if meant else "")
    hidden = _SECRET.search(name) or isinstance(problem["input"], Mapping)  # a table may hold a secret
    sent = "" if hidden else f" = {problem['input']!r}"
    return f"{name}{sent}: {_worded(problem)}"


def _worded(problem: ErrorDetails) -> str:
    """What is wrong in the words of a settings file, not of Python."""
    return _WORDING.get(problem["type"]) or field_error(problem["msg"])


def _meant(location: Location, settings: type[BaseModel]) -> str:
    """The setting whose name is nearest to one that there is not; empty where none is near."""
    *above, wrong = location
    tables: list[tuple[str, type[BaseModel]]] = [("", settings)]
    for part in above:
        if isinstance(part, int):  # a place in a list
            tables[-1] = (f"{tables[-1][0]}{part}.", tables[-1][1])
            continue
        field = tables[-1][1].model_fields.get(part)
        table = SourceSettings if part == "sources" else field.annotation if field else None
        if not (isinstance(table, type) and issubclass(table, BaseModel)):
            return ""
        tables.append((f"{tables[-1][0]}{part}.", table))
    prefix, table = tables[-1]
    near = nearest(str(wrong), table.model_fields, likeness=_SPELLED_NEARLY) or next(
        (name for name in _OTHER_WORDS.get(str(wrong), ()) if name in table.model_fields), None
    )
    if near:
        return f"{prefix}{near}"
    elsewhere = [path for path in _paths(settings) if path.rpartition(".")[2] == wrong]
    return elsewhere[0] if len(elsewhere) == 1 else ""


def unknown_variables(settings: type[BaseModel], environment: Mapping[str, str]) -> list[str]:
    """A sentence for each variable that is meant for us and sets nothing.

    A wrong name in a table that there is, as in ASSAY_SEARCH__MOD, is not among them: it is an error, see `explain`.
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
        ours = upper.startswith(_PREFIX)
        if meant := nearest(upper, known, likeness=_NEARLY if ours else _VERY_NEARLY):
            sentences.append(f"The environment variable {name} sets nothing; did you mean {meant}?")
        elif ours:
            sentences.append(f"The environment variable {name} sets nothing: there is no such setting.")
    return sentences


def _paths(table: type[BaseModel], above: str = "") -> Iterator[str]:
    """Every setting, tables included, as in `search.top_k`."""
    for name, field in table.model_fields.items():
        yield f"{above}{name}"
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _paths(field.annotation, f"{above}{name}.")
