"""What every table of settings is."""

from pydantic import BaseModel, ConfigDict


class Table(BaseModel):
    """Settings that belong together: no other names, no NaN, nothing changes."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
