"""The fields of a request's log line, and the logging configuration of a server."""

import hashlib
import hmac
import logging
import sys
from collections.abc import Mapping
from typing import Literal

from assay.adapters.telemetry.log_lines import JsonLines, LogFormat, TextLines


class QueryLogRule:
    """How the log shows the text of a query (`[server] log_queries`).

    rule: True for the plain text, False to omit it, `hash` for 16 hex digits that equal texts share until the server
        ends.
    secret: random bytes, so that common queries cannot be guessed from their hash.
    """

    def __init__(self, rule: bool | Literal["hash"], secret: bytes) -> None:
        self._rule = rule
        self._secret = secret

    def apply(self, notes: Mapping[str, object]) -> dict[str, object]:
        """The fields of a log line, with the rule applied to `query`."""
        fields = dict(notes)
        query = fields.get("query")
        if query is None or self._rule is True:
            return fields
        del fields["query"]
        if self._rule == "hash":
            digest = hmac.new(self._secret, str(query).encode("utf-8", "replace"), hashlib.sha256)
            fields["query_hash"] = digest.hexdigest()[:16]
        return fields


def configure_logging(log_format: LogFormat, *, with_process: bool = False) -> None:
    """Configure the root logger: INFO to standard error, unless it already has handlers.

    log_format: `json` sets a JSON formatter on all handlers, existing ones included.
    with_process: add the process id to every line; sets the formatter too.
    """
    root = logging.getLogger()
    if not root.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(TextLines())
        root.addHandler(handler)
        root.setLevel(logging.INFO)
    if log_format == "json" or with_process:
        formatter = JsonLines if log_format == "json" else TextLines
        for writer in root.handlers:
            writer.setFormatter(formatter(with_process=with_process))


def format_fields(fields: Mapping[str, object]) -> str:
    """Fields as `name=value`; `repr` escapes line breaks and bidirectional controls in the values."""
    return " ".join(f"{name}={value!r}" for name, value in fields.items())
