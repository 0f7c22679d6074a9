"""Log lines for people, or one JSON object each for machines."""

import json
import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

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
        return json.dumps(line, default=str)


def configure_logging(log_format: LogFormat) -> None:
    """Have the log written: as JSON lines by whatever writes it, or as text unless it is written already.

    A program that has not set logging up gets a handler on standard error, from INFO on.
    """
    root = logging.getLogger()
    if not root.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter(TEXT))
        root.addHandler(handler)
        root.setLevel(logging.INFO)
    if log_format == "json":
        for writer in root.handlers:
            writer.setFormatter(JsonLines())


def spelled(fields: Mapping[str, object]) -> str:
    """Fields as `name=value`, for a message; nothing in a value can begin a new line or turn the writing around."""
    return " ".join(f"{name}={value!r}" for name, value in fields.items())


def _fields(record: logging.LogRecord) -> dict[str, object]:
    fields = getattr(record, "fields", None)
    return fields if isinstance(fields, dict) else {}
