"""The rules that the fields of every public shape share, and what is said about a field that breaks one.

A request's model is the only place where its limits stand: what a message says of a field is read from the same JSON
schema that the OpenAPI document shows.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, TypeVar, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, GetJsonSchemaHandler, ValidationError
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError

from assay.errors import InputError
from assay.model.field_errors import field_error, field_path
from assay.model.spelling import did_you_mean

SHOWN_CHARACTERS = 60
"""How much of a value that was sent is said back."""

_MOST_PROBLEMS = 5
_OWN_WORDS = "own_words"
_NOUNS = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}


class RequestModel(BaseModel):
    """A request: no unknown fields, and no value taken for one of another type (5.0, "5" and true are not 5)."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class AnswerModel(BaseModel):
    """An answer or a part of one: the OpenAPI document declares the model that is sent."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def to_dict(self) -> dict[str, object]:
        """The answer as JSON has it, without the fields that were left out."""
        return self.model_dump(mode="json", exclude_unset=True)


Moment = Annotated[datetime, AfterValidator(lambda moment: moment.astimezone(UTC))]
"""In an answer: ISO 8601 in UTC, ending in Z."""


Model = TypeVar("Model", bound=RequestModel)


def _only_characters(value: object) -> object:
    """Refuse what JSON's escapes can write although it is no text: NUL, and half of a surrogate pair."""
    if isinstance(value, str):
        for position, character in enumerate(value, start=1):
            if character == "\0" or "\ud800" <= character <= "\udfff":
                name = "NUL" if character == "\0" else "half of a surrogate pair"
                code = f"U+{ord(character):04X}"
                words = f"character {position} is {name} ({code}), which cannot stand in text"
                raise PydanticCustomError(_OWN_WORDS, "{words}", {"words": words})
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise PydanticCustomError(_OWN_WORDS, "{words}", {"words": "it has only white space"})
    return value


def _no_percentage(value: object) -> object:
    """Refuse a percentage where a share is asked for, in words that help."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 1 < value <= 100:
        words = f"it looks like a percentage; divide it by 100: {value / 100:g}"
        raise PydanticCustomError(_OWN_WORDS, "{words}", {"words": words})
    return value


@dataclass(frozen=True)
class _Text(BeforeValidator):
    """The rule with the pattern that says it to programs, in the dialect of JSON Schema."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), "pattern": r"^[^\u0000]*$"}


@dataclass(frozen=True)
class _Asking(AfterValidator):
    """The same of a text that is not white space only; Python counts five control characters as white space too."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), "pattern": r"^[^\u0000]*[^\s\u0000\u001c-\u001f\u0085][^\u0000]*$"}


IS_TEXT = _Text(_only_characters)
"""In `Annotated[str, …]`: the string is text. Lengths beside it count code points: an emoji of one is one character."""

IS_SHARE = BeforeValidator(_no_percentage)
"""In `Annotated[float, …]` beside the limits 0 and 1: a value over 1 up to 100 is told to be divided by 100."""

IS_ASKING = _Asking(_not_blank)
"""In `Annotated[str, …]`: the string is not white space only. It comes after the lengths."""


def check_fields(model: type[Model], fields: Mapping[str, object]) -> Model:
    """The fields as that model has them.

    Raises InputError that names each field, its limit and what was sent.
    """
    try:
        return model.model_validate(dict(fields))
    except ValidationError as error:
        raise InputError(explain(model, error.errors(include_url=False))) from None


def explain(model: type[BaseModel], problems: Sequence[ErrorDetails]) -> str:
    """What is wrong with the fields of a request, one sentence for each problem, the first few of them."""
    sentences = [_sentence(model, problem) for problem in problems[:_MOST_PROBLEMS]]
    if len(problems) > _MOST_PROBLEMS:
        sentences.append(f"And {len(problems) - _MOST_PROBLEMS} more.")
    return " ".join(sentences)


def shown(value: object) -> str:
    """A value as JSON, cut to SHOWN_CHARACTERS, with an escape for whatever could not be printed."""
    whole = json.dumps(value, ensure_ascii=False, default=str)
    printable = "".join(map(_printable, whole[: SHOWN_CHARACTERS + 1]))
    return printable if len(whole) <= SHOWN_CHARACTERS else f"{printable[:SHOWN_CHARACTERS]}…"


def sent(value: object) -> str:
    """What came, in words, and how much of it where that is more than can be shown."""
    if isinstance(value, list):
        return f"a list of {len(value):,} was sent"
    if isinstance(value, dict):
        return "an object was sent"
    if isinstance(value, str):
        length = f" of {len(value):,} characters" if len(value) > SHOWN_CHARACTERS else ""
        return f"the string {shown(value)}{length} was sent" if value else "an empty string was sent"
    return f"{shown(value)} was sent"


def finite(value: float | None) -> float | None:
    """The number; None for NaN and the infinities, which JSON does not have."""
    return value if value is not None and math.isfinite(value) else None


def utc_timestamp(moment: datetime) -> str:
    """A moment as ISO 8601 in UTC, ending in Z."""
    return moment.astimezone(UTC).isoformat().removesuffix("+00:00") + "Z"


def _printable(character: str) -> str:
    return character if character.isprintable() else f"\\u{ord(character):04x}"


def _sentence(model: type[BaseModel], problem: ErrorDetails) -> str:
    path = field_path(problem["loc"], "body")
    if problem["type"] == "extra_forbidden":
        return _unknown_field(model, problem["loc"])
    if problem["type"] == "string_unicode":
        # Every value was looked at before, so it is a field's name that is no text.
        return _unknown_field(model, (*problem["loc"], str(problem["input"])))
    wanted = _expectation(model, problem["loc"]) or field_error(problem["msg"])
    if problem["type"] == _OWN_WORDS:
        return f"{path}: {problem['msg']} (it has to be {wanted}); {sent(problem['input'])}."
    if problem["type"] == "missing":
        return f"{path}: it is required, and has to be {wanted}."
    return f"{path}: it has to be {wanted}; {sent(problem['input'])}."


def _unknown_field(model: type[BaseModel], location: tuple[int | str, ...]) -> str:
    name = str(location[-1])
    known = sorted(_schema_at(model, location[:-1]).get("properties", {}))
    within = f" in {field_path(location[:-1], 'body')}" if len(location) > 1 else ""
    advice = did_you_mean(name, known, f"the fields are {', '.join(known)}.")
    plain = name if len(name) <= SHOWN_CHARACTERS and name.isprintable() else shown(name).strip('"')
    return f"There is no field `{plain}`{within}; {advice}"


def _expectation(model: type[BaseModel], location: Sequence[int | str]) -> str:
    """What a field has to be, in words: `a whole number from 1 to 20`; "" where the schema does not say."""
    schema = _schema_at(model, location)
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    kind = schema.get("type")
    if kind == "string" and "maxLength" in schema:
        return f"a string of {schema.get('minLength', 0):,} to {schema['maxLength']:,} characters"
    if kind in {"integer", "number"} and "maximum" in schema:
        return f"{_NOUNS[kind]} from {schema['minimum']} to {schema['maximum']}"
    if kind == "array" and "maxItems" in schema:
        least = f"{schema['minItems']} to" if schema.get("minItems") else "at most"
        what = "strings" if schema.get("items", {}).get("type") == "string" else "objects"
        return f"a list of {least} {schema['maxItems']:,} {what}"
    return _NOUNS.get(str(kind), "")


def _schema_at(model: type[BaseModel], location: Sequence[int | str]) -> Mapping[str, Any]:
    """The JSON schema of the field at this place; empty for a place that the model does not have."""
    root = _schema(model)
    schema: Mapping[str, Any] = root
    for part in location:
        inner = schema.get("items", {}) if isinstance(part, int) else schema.get("properties", {}).get(part, {})
        schema = _resolved(root, inner)
    return schema


def _resolved(root: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow a reference, and leave null aside where it is one of two."""
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    found = options[0] if options else schema
    if "$ref" in found:
        found = root["$defs"][str(found["$ref"]).rpartition("/")[2]]
    return cast("Mapping[str, Any]", found)


@cache
def _schema(model: type[BaseModel]) -> Mapping[str, Any]:
    return model.model_json_schema()
