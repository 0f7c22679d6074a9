"""The components of Docusaurus's OpenAPI plugin, whose content is JSON in their properties, as lines of text."""

import json
from collections.abc import Iterator, Mapping

from assay.ingest.markdown.tags import Tag
from assay.ingest.text.inlines import code_span

_DEEPEST = 8
_MOST_LINES = 1_000
_LONGEST_ENUM = 20

COMPONENTS = frozenset(
    {"MethodEndpoint", "ParamsDetails", "ParamsItem", "RequestSchema", "StatusCodes", "ResponseSchema", "SchemaItem"}
)


def endpoint(tag: Tag) -> str:
    """The method and path of a MethodEndpoint: `GET /users/{id}` as code; "" when it has neither."""
    parts = [tag.text("method").upper(), tag.text("path")]
    return code_span(" ".join(part for part in parts if part)) if any(parts) else ""


def title(tag: Tag) -> str:
    """The title over a component's lines; "" for none."""
    return tag.text("title") if tag.name in {"RequestSchema", "ResponseSchema"} else ""


def lines(tag: Tag) -> list[str]:
    """One line for each parameter, property and status code of a component, at most 1,000."""
    found: list[str] = []
    for line in _LINES[tag.name](tag) if tag.name in _LINES else ():
        found.append(line)
        if len(found) == _MOST_LINES:
            break
    return found


def _value(tag: Tag, name: str) -> object:
    """A property that is JSON; None when it is missing or computed."""
    written = tag.attributes.get(name, "")
    try:
        return json.loads(written[1:-1]) if written.startswith("{") else written
    except (ValueError, RecursionError):
        return None


def _parameters(tag: Tag) -> Iterator[str]:
    listed = _value(tag, "parameters")
    for one in listed if isinstance(listed, list) else []:
        if isinstance(one, Mapping):
            yield _parameter(one)


def _parameter(one: Mapping[str, object]) -> str:
    schema = one.get("schema")
    schema = schema if isinstance(schema, Mapping) else {}
    facts = [_text(one.get("in")), *_facts(schema), "required" if one.get("required") is True else ""]
    return _line(_text(one.get("name")), facts, _text(one.get("description")) or _text(schema.get("description")))


def _single_parameter(tag: Tag) -> Iterator[str]:
    one = _value(tag, "param")
    if isinstance(one, Mapping):
        yield _parameter(one)


def _body(tag: Tag) -> Iterator[str]:
    yield from _content(_value(tag, "body"), "")


def _response(tag: Tag) -> Iterator[str]:
    yield from _content(_value(tag, "response"), "")


def _responses(tag: Tag) -> Iterator[str]:
    listed = _value(tag, "responses")
    for status, response in listed.items() if isinstance(listed, Mapping) else ():
        if isinstance(response, Mapping):
            yield _line(str(status), [], _text(response.get("description")))
            yield from _content({**response, "description": ""}, "")


def _item(tag: Tag) -> Iterator[str]:
    schema = _value(tag, "schema")
    schema = schema if isinstance(schema, Mapping) else {}
    is_required = _value(tag, "required") in {True, "true"}
    facts = [tag.text("schemaName"), "required" if is_required else ""]
    yield _line(tag.text("name"), facts, _text(schema.get("description")))


_LINES = {
    "ParamsDetails": _parameters,
    "ParamsItem": _single_parameter,
    "RequestSchema": _body,
    "ResponseSchema": _response,
    "StatusCodes": _responses,
    "SchemaItem": _item,
}


def _content(body: object, prefix: str) -> Iterator[str]:
    """The description of a body and the properties of each of its media types."""
    if not isinstance(body, Mapping):
        return
    if description := _text(body.get("description")):
        yield description
    content = body.get("content")
    seen: list[object] = []
    for media in content.values() if isinstance(content, Mapping) else ():
        schema = media.get("schema") if isinstance(media, Mapping) else None
        if schema not in seen:  # most media types share one
            seen.append(schema)
            yield from _properties(schema, prefix, 0)


def _properties(schema: object, prefix: str, depth: int) -> Iterator[str]:
    """The properties of a schema by their path: `owner.name`, and `tags[].id` in a list."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return
    for name in ("allOf", "oneOf", "anyOf"):
        alternatives = schema.get(name)
        for one in alternatives if isinstance(alternatives, list) else []:
            yield from _properties(one, prefix, depth + 1)
    if "items" in schema:
        yield from _properties(schema["items"], f"{prefix}[]", depth + 1)
    required = schema.get("required")
    properties = schema.get("properties")
    for name, one in properties.items() if isinstance(properties, Mapping) else ():
        if isinstance(one, Mapping):
            path = f"{prefix}.{name}".lstrip(".")
            is_required = isinstance(required, list) and name in required
            facts = [*_facts(one), "required" if is_required else ""]
            yield _line(path, facts, _text(one.get("description")) or _text(one.get("title")))
            yield from _properties(one, path, depth + 1)


def _facts(schema: Mapping[str, object]) -> Iterator[str]:
    kind = schema.get("type")
    yield " or ".join(map(str, kind)) if isinstance(kind, list) else _text(kind)
    yield _text(schema.get("format"))
    values = schema.get("enum")
    if isinstance(values, list):
        yield "one of " + ", ".join(str(value) for value in values[:_LONGEST_ENUM])
    if isinstance(schema.get("default"), str | int | float):
        yield f"default {schema['default']}"


def _line(name: str, facts: list[str], description: str) -> str:
    shown = ", ".join(fact for fact in facts if fact)
    head = f"{code_span(name)} ({shown})" if shown else code_span(name)
    return f"{head}: {description}" if description else head


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
