"""The parameters of a URL, with the types of the model that parses them."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from starlette.requests import Request

_WRITTEN: Mapping[str, bool] = {"true": True, "1": True, "false": False, "0": False}


def url_parameters(request: Request, model: type[BaseModel]) -> dict[str, object]:
    """The parameters by name. One that cannot be converted to its type stays text, which the model refuses by name.

    A list has a parameter for each of its values; other parameters that are repeated become lists too.
    """
    kinds = {name: _kinds(schema) for name, schema in model.model_json_schema()["properties"].items()}
    parameters: dict[str, object] = {}
    for name in request.query_params:
        values = request.query_params.getlist(name)
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


def _kinds(schema: Mapping[str, Any]) -> set[str]:
    return {each.get("type", "string") for each in schema.get("anyOf", [schema])}


def _converted(value: str, kinds: set[str]) -> object:
    try:
        if "integer" in kinds:
            return int(value)
        if "number" in kinds:
            return float(value)
    except ValueError:
        return value
    return _WRITTEN.get(value, value) if "boolean" in kinds else value
