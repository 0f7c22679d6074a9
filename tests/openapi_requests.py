"""Whether exchanges over the wire are what an OpenAPI 3.0 document says: path, method, query and both bodies.

The document's schemas are made stricter than they are written: `nullable` is taken at its word, and a property that an
object does not list is an error, for servers ignore what they do not know.
"""
# ruff: noqa: ANN401 - JSON

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema_rs


class OpenApi:
    """An OpenAPI document that exchanges are compared with."""

    def __init__(self, document: dict[str, Any]) -> None:
        schemas = document["components"]["schemas"]
        self._components = {"schemas": {name: _strict(schema) for name, schema in schemas.items()}}
        self._operations = [
            (re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path)), path, method.upper(), operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        ]
        self._validators: dict[str, Any] = {}

    @classmethod
    def read(cls, path: Path) -> "OpenApi":
        return cls(json.loads(path.read_text(encoding="utf-8")))

    def faults(
        self, method: str, path: str, query: Mapping[str, str], body: Any, status: int, answer: Any
    ) -> list[str]:
        """Everything about an exchange that the document does not say; empty when all is as it says."""
        found = [one for one in self._operations if one[2] == method and one[0].fullmatch(path)]
        if not found:
            return [f"{method} {path}: there is no such operation"]
        # Of `/collections/aliases` and `/collections/{name}` the one without a gap is meant.
        _, template, _, operation = min(found, key=lambda one: one[1].count("{"))
        name = f"{method} {template}"
        faults = [f"{name}: {fault}" for fault in self._query_faults(operation, query)]
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if body is not None and content is None:
            faults.append(f"{name}: takes no body")
        elif content is not None and (body is not None or operation["requestBody"].get("required")):
            faults += [f"{name}: {fault}" for fault in self._faults(f"{name} body", content["schema"], body)]
        answers = operation["responses"]
        described = answers.get(str(status)) or answers.get("4XX" if status < 500 else "default") or {}
        expected = described.get("content", {}).get("application/json")
        if expected is not None:
            kind = f"{name} answer {status}"
            faults += [f"{kind}: {fault}" for fault in self._faults(kind, expected["schema"], answer)]
        return faults

    def _query_faults(self, operation: dict[str, Any], query: Mapping[str, str]) -> Iterator[str]:
        known = {one["name"]: one for one in operation.get("parameters", ()) if one["in"] == "query"}
        for name, value in query.items():
            if name not in known:
                yield f"there is no query parameter {name}"
                continue
            schema = known[name]["schema"]
            readings = [value, *([int(value)] if value.isdigit() else []), *_boolean(value)]
            if all(list(self._faults(f"parameter {name} {schema}", schema, reading)) for reading in readings):
                yield f"{name}={value} is not what the parameter takes"
        for name, parameter in known.items():
            if parameter.get("required") and name not in query:
                yield f"the query parameter {name} is missing"

    def _faults(self, key: str, schema: dict[str, Any], value: Any) -> list[str]:
        if key not in self._validators:
            whole = {"components": self._components, "allOf": [_strict(schema)]}
            self._validators[key] = jsonschema_rs.Draft202012Validator(whole)
        errors = self._validators[key].iter_errors(value)
        return [f"{'.'.join(map(str, error.instance_path))}: {error.message[:300]}" for error in errors]


def _boolean(value: str) -> list[bool]:
    return [value == "true"] if value in ("true", "false") else []


_NOTES = ("nullable", "default", "example", "examples", "deprecated", "discriminator")
"""Keywords that say nothing about which values are taken, or are taken into account below."""


def _strict(schema: Any, *, part: bool = False) -> Any:
    """The schema with `nullable` as JSON Schema writes it, and objects closed. part: of an `allOf`, which is open."""
    if not isinstance(schema, dict):
        return schema
    result: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword == "properties":
            result[keyword] = {name: _strict(one) for name, one in value.items()}
        elif keyword in ("anyOf", "oneOf", "allOf"):
            result[keyword] = [_strict(one, part=keyword == "allOf") for one in value]
        elif keyword in ("items", "additionalProperties", "not"):
            result[keyword] = _strict(value)
        elif keyword not in _NOTES:
            result[keyword] = value
    if schema.get("type") == "object" and schema.get("properties") and not part:
        result.setdefault("additionalProperties", False)
    if schema.get("nullable") is True:
        says_more = bool(set(result) - {"description", "title"})
        return {"anyOf": [result, {"type": "null"}]} if says_more else {"type": "null"}
    return result
