"""Settings of the log of queries."""

import re

from pydantic import Field, field_validator

from assay.settings.table import Table


class QuerySettings(Table):
    """A log of readers' searches and clicks, for `assay queries`. See [queries.md](queries.md)."""

    log: bool = Field(
        default=False,
        description="Log searches and clicks: redacted text, time, filters, hits, generation.",
    )
    keep_days: int = Field(default=30, ge=1, le=3_650, description="Days after which a search is deleted.")
    keep: int = Field(default=1_000_000, ge=1, description="Maximum number of searches kept; the oldest are deleted.")
    redact: tuple[str, ...] = Field(
        default=(),
        description="Regular expressions; text that matches is replaced by `[redacted]`. E-mail addresses, long "
        "numbers, keys and tokens are always replaced.",
    )

    @field_validator("redact")
    @classmethod
    def _require_patterns(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse an invalid regular expression, and one that matches everywhere."""
        for pattern in patterns:
            try:
                is_empty = re.compile(pattern).search("") is not None
            except re.error as error:
                raise ValueError(f"{pattern!r} is not a regular expression: {error}") from None
            if is_empty:
                raise ValueError(
                    f"{pattern!r} matches an empty text, so `[redacted]` would be put between all characters"
                )
        return patterns
