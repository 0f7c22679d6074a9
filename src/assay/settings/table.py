"""The base class of every table of settings."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationInfo, field_validator

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Options = TypeVar("Options", bound="DataclassInstance")

Share = Annotated[float, Field(ge=0.0, le=1.0)]
"""A part of a whole, or a similarity: 0 to 1."""


class Table(BaseModel):
    """A group of settings: immutable, without unknown names or NaN."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_truth_as_number(cls, value: object, info: ValidationInfo) -> object:
        """Refuse true and false for a number: pydantic reads them as 1 and 0, and `max_… = true` would lift a limit."""
        kinds = list(_leaves(cls.model_fields[str(info.field_name)].annotation))
        takes_truth = any(kind is bool or isinstance(kind, bool) for kind in kinds)
        if (int in kinds or float in kinds) and not takes_truth and _has_truth(value):
            raise ValueError("must be a number, not true or false")
        return value

    def options(self, kind: type[Options], **others: Any) -> Options:  # noqa: ANN401 - whatever the fields take
        """Fill a dataclass from the settings with the same names; secrets become plain strings.

        others: values for the remaining fields; they win over settings of the same name.
        """
        shared = {field.name for field in fields(kind)} & type(self).model_fields.keys() - others.keys()
        return kind(**{name: _plain(getattr(self, name)) for name in shared}, **others)


def _leaves(annotation: object) -> Iterator[object]:
    """The types in an annotation: of `dict[str, float | None]`, str, float and NoneType."""
    parts = get_args(annotation)
    if not parts:
        yield annotation
    for part in parts:
        yield from _leaves(part)


def _has_truth(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_truth, value.values()))
    return any(map(_has_truth, value)) if isinstance(value, (list, tuple)) else isinstance(value, bool)


def _plain(value: object) -> Any:  # noqa: ANN401 - whatever the setting is
    return value.get_secret_value() if isinstance(value, SecretStr) else value
