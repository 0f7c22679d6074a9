"""The parameters of a URL, with the types of the model that parses them."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel
from starlette.requests import Request

_INTEGER = re.compile(r"-?[0-9]{1,18}")
_NUMBER = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?(?:[eE][-+]?[0-9]{1,3})?")
"""As JSON writes them. Python converts more: "1_0", digits of other scripts, spaces, "nan"."""

_WRITTEN: Mapping[str, bool] = {"true": True, "1": True, "false": False, "0": False}


def url_parameters(request: Request, model: type[BaseModel]) -> dict[str, object]:
    """The parameters by name. One that cannot be converted to its type stays text, which the model refuses by name.

    A list has a parameter for each of its values; other parameters that are repeated become lists too.
    """
    kinds = _kinds_of(model)
    sent: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        sent.setdefault(name, []).append(value)
    parameters: dict[str, object] = {}
    for name, values in sent.items():
        kind = kinds.get(name, set())
        converted = [_converted(value, kind) for value in values]
        parameters[name] = converted if "array" in kind or len(values) > 1 else converted[0]
    return parameters


def url_parameters_schema(model: type[BaseModel], example: Mapping[str, object]) -> dict[str, Any]:
    """The `openapi_extra` of a route that parses this model from its URL."""
    schema = model.model_json_schema()
    required = schema.get("required", [])
    return {
        "parameters": [
            {
                "name": name,
                "in": "query",
                "required": name in required,
                "description": each["description"],
                "schema": {key: value for key, value in each.items() if key not in {"description", "title"}},
            }
            | ({"example": example[name]} if name in example else {})
            for name, each in schema["properties"].items()
        ]
    }


@cache
def _kinds_of(model: type[BaseModel]) -> Mapping[str, set[str]]:
    """The JSON types of each field; cached, because making a schema takes longer than a suggestion."""
    return {name: _kinds(schema) for name, schema in model.model_json_schema()["properties"].items()}


def _kinds(schema: Mapping[str, Any]) -> set[str]:
    return {each.get("type", "string") for each in schema.get("anyOf", [schema])}


def _converted(value: str, kinds: set[str]) -> object:
    if "integer" in kinds and _INTEGER.fullmatch(value):
        return int(value)
    if "number" in kinds and _NUMBER.fullmatch(value):
        return float(value)
    return _WRITTEN.get(value, value) if "boolean" in kinds else value
