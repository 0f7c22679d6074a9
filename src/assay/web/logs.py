"""What a server logs of a request, and how its log is set up."""

import hashlib
import hmac
import logging
import secrets
import sys
from collections.abc import Mapping
from typing import Literal

from assay.adapters.telemetry.log_lines import JsonLines, LogFormat, TextLines


class QueryWords:
    """How the text of a query stands in the log.

    rule: True as it is, False not at all, `hash` as 16 hex digits that are the same for the same text until the
        process ends. The hash is keyed with a secret that is nowhere else: common queries cannot be guessed from it.
    """

    def __init__(self, rule: bool | Literal["hash"]) -> None:
        self._rule = rule
        self._secret = secrets.token_bytes(32)

    def applied(self, notes: Mapping[str, object]) -> dict[str, object]:
        """The fields of a log line, with `query` as the rule has it."""
        fields = dict(notes)
        query = fields.get("query")
        if query is None or self._rule is True:
            return fields
        del fields["query"]
        if self._rule == "hash":
            digest = hmac.new(self._secret, str(query).encode("utf-8", "replace"), hashlib.sha256)
            fields["query_hash"] = digest.hexdigest()[:16]
        return fields


def configure_logging(log_format: LogFormat) -> None:
    """Have the log written: as JSON lines by whatever writes it, or as text unless it is written already.

    A program that has not set logging up gets a handler on standard error, from INFO on.
    """
    root = logging.getLogger()
    if not root.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(TextLines())
        root.addHandler(handler)
        root.setLevel(logging.INFO)
    if log_format == "json":
        for writer in root.handlers:
            writer.setFormatter(JsonLines())


def spelled(fields: Mapping[str, object]) -> str:
    """Fields as `name=value`, for a message; nothing in a value can begin a new line or turn the writing around."""
    return " ".join(f"{name}={value!r}" for name, value in fields.items())
