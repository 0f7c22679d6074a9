"""Pages of Docusaurus's OpenAPI plugin say what their components show, though it is JSON in properties."""

import json

import pytest
from tests.pages import mdx, read


def test_a_page_has_its_method_path_parameters_and_answers() -> None:
    parameters = [
        {"in": "path", "name": "id", "required": True, "description": "The number.", "schema": {"type": "integer"}},
        {"in": "query", "name": "sort", "schema": {"type": "string", "enum": ["up", "down"], "default": "up"}},
    ]
    schema = {
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "description": "The user's\nname."},
            "tags": {"type": "array", "items": {"type": "object", "properties": {"key": {"type": ["string", "null"]}}}},
        },
    }
    media = {"application/json": {"schema": schema}, "application/xml": {"schema": schema}}
    responses = {"200": {"description": "Done.", "content": media}, "404": {"description": "Gone."}}
    source = (
        'import MethodEndpoint from "@theme/ApiExplorer/MethodEndpoint";\n\n'
        '<Heading as={"h1"} className={"openapi__heading"} children={"Get user"}></Heading>\n\n'
        '<MethodEndpoint method={"get"} path={"/users/{id}"} context={"endpoint"}></MethodEndpoint>\n\nText.\n\n'
        '<Heading id={"request"} as={"h2"} children={"Request"}/>\n\n'
        f"<ParamsDetails parameters={{{json.dumps(parameters)}}}></ParamsDetails>\n\n"
        f'<RequestSchema title={{"Body"}} body={{{json.dumps({"content": media})}}}></RequestSchema>\n\n'
        f"<StatusCodes id={{undefined}} responses={{{json.dumps(responses)}}}></StatusCodes>\n"
    )
    document = read(source, "docusaurus")
    properties = "- `name` (string, required): The user's name.\n- `tags` (array)\n- `tags[].key` (string or null)"
    assert document.text == (
        "# Get user\n\n`GET /users/{id}`\n\nText.\n\n## Request\n\n"
        "- `id` (path, integer, required): The number.\n- `sort` (query, string, one of up, down, default up)\n\n"
        f"Body:\n\n{properties}\n\n- `200`: Done.\n{properties}\n- `404`: Gone."
    )
    assert [(section.heading, section.anchor) for section in document.sections][-1] == ("Request", "request")
    assert document.info.title == "Get user"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('<ParamsItem param={{"name":"a","in":"query","schema":{"type":"int"}}}></ParamsItem>', "- `a` (query, int)"),
        ('<SchemaItem name={"b"} required={true} schemaName={"int64"} schema={{"description":"B"}}></SchemaItem>',
         "- `b` (int64, required): B"),
        ("<ParamsDetails parameters={undefined}></ParamsDetails>", ""),
        ("<StatusCodes responses={computed()}></StatusCodes>\n\nText.", "Text."),
        ('<Heading as={"section"} children={"A"}></Heading>', "## A"),
        ('<Heading as="h3" id="x">Inside</Heading>', "### Inside"),
        ('<RequestSchema title={"Body"} body={{}}></RequestSchema>\n\nText.', "Text."),
        ('<RequestSchema body={{"description":"D","content":{"a/b":{"schema":{"allOf":[{"properties":{"c":{}}}]}}}}}/>',
         "- D\n- `c`"),
    ],
)  # fmt: skip
def test_each_component_is_read_or_says_nothing(source: str, text: str) -> None:
    assert mdx(source) == text


def test_a_schema_that_is_deep_or_has_thousands_of_properties_is_bounded() -> None:
    schema: dict[str, object] = {"properties": {"a": {}}}
    for _ in range(10):
        schema = {"properties": {"a": schema, "b": schema}}
    wide = {"properties": {f"p{n}": {} for n in range(5_000)}}
    for one in ({"properties": {"x": wide}}, schema):
        body = json.dumps({"content": {"a/b": {"schema": one}}})
        assert mdx(f"<RequestSchema body={{{body}}}/>").count("\n") < 1_000
