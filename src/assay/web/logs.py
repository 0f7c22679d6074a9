"""Log lines for people, or one JSON object each for machines."""

import hashlib
import hmac
import json
import logging
import secrets
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

from assay.adapters.access.key_file import redacted

LogFormat = Literal["text", "json"]

TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
"""How a server's log lines read; the time is the machine's own."""


class JsonLines(logging.Formatter):
    """One JSON object per line: time, level, logger, message, and the `fields` that came with the record.

    A record that comes with an `event` has its fields spelled out in its message, so the event's name is enough.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line of ASCII."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC)
            .isoformat(timespec="milliseconds")
            .replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": getattr(record, "event", None) or record.getMessage(),
            **_fields(record),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return redacted(json.dumps(line, default=str))


class TextLines(logging.Formatter):
    """One line for people for each record, whatever is in it; a traceback has lines of its own after it."""

    def __init__(self) -> None:
        super().__init__(TEXT)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name that logging calls
        """The line, with an escape for whatever would end it or turn it around."""
        line = super().formatMessage(record)
        return line if line.isprintable() else "".join(map(_printable, line))

    def format(self, record: logging.LogRecord) -> str:
        """The record, with every API key cut down to its id."""
        return redacted(super().format(record))


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


def _printable(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def _fields(record: logging.LogRecord) -> dict[str, object]:
    fields = getattr(record, "fields", None)
    return fields if isinstance(fields, dict) else {}
