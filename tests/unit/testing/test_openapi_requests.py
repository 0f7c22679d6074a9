"""The comparison of exchanges with an OpenAPI document finds what is wrong with them."""

from typing import Any

import pytest
from tests.openapi_requests import OpenApi

DOCUMENT: dict[str, Any] = {
    "components": {
        "schemas": {
            "Box": {
                "type": "object",
                "required": ["size"],
                "properties": {
                    "size": {"type": "integer", "minimum": 1},
                    "label": {"type": "string", "nullable": True},
                    "lid": {"anyOf": [{"$ref": "#/components/schemas/Lid"}, {"nullable": True}]},
                    "default": {"type": "boolean"},
                },
            },
            "Lid": {"type": "object", "properties": {"wide": {"type": "boolean"}}},
        }
    },
    "paths": {
        "/boxes/{name}": {
            "put": {
                "parameters": [
                    {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "wait", "in": "query", "schema": {"type": "boolean"}},
                    {"name": "after", "in": "query", "schema": {"type": "integer", "minimum": 1}},
                ],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Box"}}}},
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {
                                "schema": {"type": "object", "properties": {"result": {"type": "boolean"}}}
                            }
                        }
                    }
                },
            }
        },
        "/boxes/all": {"get": {"responses": {"200": {}}}},
    },
}


def faults(**changed: Any) -> str:  # noqa: ANN401 - parts of an exchange
    exchange = {
        "method": "PUT",
        "path": "/boxes/one",
        "query": {"wait": "true", "after": "3"},
        "body": {"size": 1, "label": None, "lid": {"wide": True}, "default": True},
        "status": 200,
        "answer": {"result": True},
    }
    return "\n".join(OpenApi(DOCUMENT).faults(**{**exchange, **changed}))


def test_an_exchange_that_is_as_described_has_no_faults() -> None:
    assert faults() == ""
    assert faults(method="GET", path="/boxes/all", query={}, body=None, answer=None) == ""


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"path": "/crates/one"}, "there is no such operation"),
        ({"method": "DELETE"}, "there is no such operation"),
        ({"query": {"later": "1"}}, "there is no query parameter later"),
        ({"query": {"wait": "soon"}}, "wait=soon is not"),
        ({"query": {"after": "0"}}, "after=0 is not"),
        ({"body": {}}, '"size" is a required property'),
        ({"body": {"size": 0}}, "size: 0 is less than"),
        ({"body": {"size": 1, "colour": "red"}}, "colour"),
        ({"body": {"size": 1, "lid": {"wide": 1}}}, "lid"),
        ({"body": {"size": 1, "lid": {"broad": True}}}, "lid"),
        ({"body": {"size": None}}, "size: null is not of type"),
        ({"body": {"size": 1, "default": None}}, "default: null is not of type"),
        ({"answer": {"result": "yes"}}, "answer 200: result"),
        ({"method": "GET", "path": "/boxes/all", "query": {}}, "takes no body"),
    ],
    ids=str,
)
def test_what_is_not_as_described_is_named(changed: dict[str, Any], said: str) -> None:
    assert said in faults(**changed)
