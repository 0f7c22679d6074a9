"""Log lines for people, or one JSON object each for machines; secrets are masked, and control characters escaped."""

import json
import logging
from datetime import UTC, datetime
from typing import Any, Literal

from assay.redaction import redacted, redacted_json

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
        return redacted(json.dumps(redacted_json(line), default=str))


class TextLines(logging.Formatter):
    """One line for people for each record, whatever is in it; a traceback follows on indented lines."""

    def __init__(self) -> None:
        super().__init__(TEXT)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name that logging calls
        """The line, with an escape for each character that would end it or move the cursor."""
        return _escaped(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802, ANN401 - the name and types that logging has
        """The traceback, indented, so that no line of it looks like a line of the log."""
        return "\n".join(f"  {_escaped(line)}" for line in super().formatException(ei).split("\n"))

    def format(self, record: logging.LogRecord) -> str:
        """The record without secrets."""
        return redacted(super().format(record))


class CommandLines(TextLines):
    """A command's log lines: `Warning: …`, and the message alone where it only informs.

    The name of a logger comes first only for other packages: whose message it is would not be clear without.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name that logging calls
        """The line, with an escape for each character that would end it or move the cursor."""
        package = record.name.partition(".")[0]
        level = f"{record.levelname.capitalize()}: " if record.levelno >= logging.WARNING else ""
        name = "" if package == "assay" else f"{package}: "
        return _escaped(f"{level}{name}{record.message}")


def _escaped(line: str) -> str:
    return line if line.isprintable() else "".join(map(_printable, line))


def _printable(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def _fields(record: logging.LogRecord) -> dict[str, object]:
    fields = getattr(record, "fields", None)
    return fields if isinstance(fields, dict) else {}
