"""What every table of settings is."""

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, SecretStr

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Options = TypeVar("Options", bound="DataclassInstance")

Share = Annotated[float, Field(ge=0.0, le=1.0)]
"""A part of a whole, or a similarity: 0 to 1."""


class Table(BaseModel):
    """Settings that belong together: no other names, no NaN, nothing changes."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    def options(self, kind: type[Options], **others: Any) -> Options:  # noqa: ANN401 - whatever the fields take
        """Fill the fields of a dataclass that have the names of these settings; secrets are uncovered.

        others: the remaining fields, and those that are not as set.
        """
        shared = {field.name for field in fields(kind)} & type(self).model_fields.keys() - others.keys()
        return kind(**{name: _uncovered(getattr(self, name)) for name in shared}, **others)


def _uncovered(value: object) -> Any:  # noqa: ANN401 - whatever the setting is
    return value.get_secret_value() if isinstance(value, SecretStr) else value
