"""Field rules that all public shapes share, and the messages about fields that break them.

A request's model is the only definition of its limits: messages use the same JSON schema as the OpenAPI document.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Annotated, Any, Self, TypeVar, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, GetJsonSchemaHandler, ValidationError
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError

from assay.errors import InputError
from assay.model.field_errors import field_error, field_path
from assay.model.spelling import nearest

QUOTED_CHARACTERS = 60
"""Characters of a sent value that a message repeats."""

_MOST_PROBLEMS = 5
_CUSTOM_ERROR = "custom_error"
_NOUNS = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}


class RequestModel(BaseModel):
    """A request: no unknown fields, and no conversion between types (5.0, "5" and true are not 5)."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class AnswerModel(BaseModel):
    """A response or a part of one: the OpenAPI document declares the same model that is sent."""

    model_config = ConfigDict(extra="forbid", frozen=True, from_attributes=True)

    @classmethod
    def of(cls, *sources: object, **others: object) -> Self:
        """Fill the fields from the attributes with the same names, of the first source that has one.

        A value for a field with a model of its own is an object with that model's attributes.
        others: values for the remaining fields; they win over attributes.
        """
        found = {
            name: getattr(source, name)
            for source in reversed(sources)
            for name in cls.model_fields.keys() - others.keys()
            if hasattr(source, name)
        }
        return cls(**found, **others)

    def to_dict(self) -> dict[str, object]:
        """The response as JSON values, without the fields that were not set."""
        return self.model_dump(mode="json", exclude_unset=True)


Moment = Annotated[datetime, AfterValidator(lambda moment: moment.astimezone(UTC))]
"""In a response: ISO 8601 in UTC, ending in Z."""

Model = TypeVar("Model", bound=RequestModel)


def _only_characters(value: object) -> object:
    """Refuse the characters of JSON escapes that are not text: NUL, and lone surrogates."""
    if isinstance(value, str):
        for position, character in enumerate(value, start=1):
            if character == "\0" or "\ud800" <= character <= "\udfff":
                name = "NUL" if character == "\0" else "half of a surrogate pair"
                code = f"U+{ord(character):04X}"
                raise _custom_error(f"character {position} is {name} ({code}), which is not allowed in text")
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise _custom_error("it has only white space")
    return value


def _no_percentage(value: object) -> object:
    """Refuse a percentage in place of a share, and give the share in the message."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 1 < value <= 100:
        raise _custom_error(f"it looks like a percentage; divide it by 100: {value / 100:g}")
    return value


def _custom_error(message: str) -> PydanticCustomError:
    return PydanticCustomError(_CUSTOM_ERROR, "{message}", {"message": message})


@dataclass(frozen=True)
class _Text(BeforeValidator):
    """The rule, with its pattern for the JSON schema."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), "pattern": r"^[^\u0000]*$"}


@dataclass(frozen=True)
class _NotBlank(AfterValidator):
    """The rule, with its pattern for the JSON schema; Python counts five control characters as white space too."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), "pattern": r"^[^\u0000]*[^\s\u0000\u001c-\u001f\u0085][^\u0000]*$"}


IS_TEXT = _Text(_only_characters)
"""In `Annotated[str, …]`: the string is text. Its length limits count code points."""

IS_SHARE = BeforeValidator(_no_percentage)
"""In `Annotated[float, …]` with the limits 0 and 1: the message for a value over 1 up to 100 says to divide by 100."""

NOT_BLANK = _NotBlank(_not_blank)
"""In `Annotated[str, …]`, after the length limits: the string is not white space only."""


def check_fields(model: type[Model], fields: Mapping[str, object]) -> Model:
    """Parse the fields as this model. Raises InputError that names each wrong field, its limit and what was sent."""
    try:
        return model.model_validate(dict(fields))
    except ValidationError as error:
        raise InputError(explain(model, error.errors(include_url=False))) from None


def explain(model: type[BaseModel], problems: Sequence[ErrorDetails]) -> str:
    """The first problems of a request's fields, one sentence for each."""
    sentences = [_sentence(model, problem) for problem in problems[:_MOST_PROBLEMS]]
    if len(problems) > _MOST_PROBLEMS:
        sentences.append(f"And {len(problems) - _MOST_PROBLEMS} more.")
    return " ".join(sentences)


def quoted(value: object) -> str:
    """A value as JSON, truncated to QUOTED_CHARACTERS, with escapes for unprintable characters."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    printable = "".join(map(_printable, text[: QUOTED_CHARACTERS + 1]))
    return printable if len(text) <= QUOTED_CHARACTERS else f"{printable[:QUOTED_CHARACTERS]}…"


def was_sent(value: object) -> str:
    """The end of a message about a sent value: `a list of 3 was sent`; with its length when it is truncated."""
    if isinstance(value, list):
        return f"a list of {len(value):,} was sent"
    if isinstance(value, dict):
        return "an object was sent"
    if isinstance(value, str):
        length = f" of {len(value):,} characters" if len(value) > QUOTED_CHARACTERS else ""
        return f"the string {quoted(value)}{length} was sent" if value else "an empty string was sent"
    return f"{quoted(value)} was sent"


def finite(value: float | None) -> float | None:
    """The number; None for NaN and infinities, which JSON cannot represent."""
    return value if value is not None and math.isfinite(value) else None


@lru_cache(1_024)
def utc_timestamp(moment: datetime) -> str:
    """A time as ISO 8601 in UTC, ending in Z; cached, because the chunks of a build have few."""
    return (moment if moment.tzinfo is UTC else moment.astimezone(UTC)).isoformat().removesuffix("+00:00") + "Z"


def _printable(character: str) -> str:
    return character if character.isprintable() else f"\\u{ord(character):04x}"


def _sentence(model: type[BaseModel], problem: ErrorDetails) -> str:
    path = field_path(problem["loc"], "body")
    if problem["type"] == "extra_forbidden":
        return _unknown_field(model, problem["loc"])
    if problem["type"] == "string_unicode":
        # IS_TEXT checks every value, so this is the name of an unknown field.
        return _unknown_field(model, (*problem["loc"], str(problem["input"])))
    wanted = _expectation(model, problem["loc"]) or field_error(problem["msg"])
    if problem["type"] == _CUSTOM_ERROR:
        return f"{path}: {problem['msg']} (it must be {wanted}); {was_sent(problem['input'])}."
    if problem["type"] == "missing":
        return f"{path}: it is required and must be {wanted}."
    return f"{path}: it must be {wanted}; {was_sent(problem['input'])}."


def _unknown_field(model: type[BaseModel], location: tuple[int | str, ...]) -> str:
    name = str(location[-1])
    outer = location[:-1]
    known = sorted(_schema_at(model, outer).get("properties", {}))
    within = f" in {field_path(outer, 'body')}" if outer else ""
    nested = {
        field: field_path((*outer, parent, field), "body")
        for parent in known
        for field in _schema_at(model, (*outer, parent)).get("properties", {})
    }
    paths = nested | {field: field for field in known}
    near = nearest(name.lower(), paths)
    advice = f"did you mean `{paths[near]}`?" if near else f"the fields are {', '.join(known)}."
    plain = name if len(name) <= QUOTED_CHARACTERS and name.isprintable() else quoted(name).strip('"')
    return f"There is no field `{plain}`{within}; {advice}"


def _expectation(model: type[BaseModel], location: Sequence[int | str]) -> str:
    """The values that a field's schema allows, such as `a whole number from 1 to 20`; "" when there is no limit."""
    schema = _schema_at(model, location)
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    kind = schema.get("type")
    if kind == "string" and "maxLength" in schema:
        return f"a string of {schema.get('minLength', 0):,} to {schema['maxLength']:,} characters"
    if kind == "string" and "pattern" in schema:
        return f"a string that matches {schema['pattern']}"
    if kind in {"integer", "number"} and "maximum" in schema:
        return f"{_NOUNS[kind]} from {schema['minimum']} to {schema['maximum']}"
    if kind == "array" and "maxItems" in schema:
        least = f"{schema['minItems']} to" if schema.get("minItems") else "at most"
        what = {"string": "strings", "array": "lists"}.get(schema.get("items", {}).get("type"), "objects")
        return f"a list of {least} {schema['maxItems']:,} {what}"
    return _NOUNS.get(str(kind), "")


def _schema_at(model: type[BaseModel], location: Sequence[int | str]) -> Mapping[str, Any]:
    """The JSON schema of the field at a location; empty if the model has no such field."""
    root = _schema(model)
    schema: Mapping[str, Any] = root
    for part in location:
        inner = schema.get("items", {}) if isinstance(part, int) else schema.get("properties", {}).get(part, {})
        schema = _resolved(root, inner)
    return schema


def _resolved(root: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Resolve a reference, and the non-null option of an optional field."""
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    found = options[0] if options else schema
    if "$ref" in found:
        found = root["$defs"][str(found["$ref"]).rpartition("/")[2]]
    return cast("Mapping[str, Any]", found)


@cache
def _schema(model: type[BaseModel]) -> Mapping[str, Any]:
    return model.model_json_schema()
