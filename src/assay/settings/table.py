"""The base class of every table of settings."""

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, SecretStr

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Options = TypeVar("Options", bound="DataclassInstance")

Share = Annotated[float, Field(ge=0.0, le=1.0)]
"""A part of a whole, or a similarity: 0 to 1."""


class Table(BaseModel):
    """A group of settings: immutable, without unknown names or NaN."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    def options(self, kind: type[Options], **others: Any) -> Options:  # noqa: ANN401 - whatever the fields take
        """Fill a dataclass from the settings with the same names; secrets become plain strings.

        others: values for the remaining fields; they win over settings of the same name.
        """
        shared = {field.name for field in fields(kind)} & type(self).model_fields.keys() - others.keys()
        return kind(**{name: _plain(getattr(self, name)) for name in shared}, **others)


def _plain(value: object) -> Any:  # noqa: ANN401 - whatever the setting is
    return value.get_secret_value() if isinstance(value, SecretStr) else value
