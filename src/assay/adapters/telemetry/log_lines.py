"""Log lines as text or JSON; secrets are masked and control characters escaped."""

import json
import logging
from datetime import UTC, datetime
from typing import Any, Literal

from assay.redaction import redacted, redacted_json

LogFormat = Literal["text", "json"]

TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
"""Format of a server's log lines, in local time."""


class JsonLines(logging.Formatter):
    """One JSON object per line: time, level, logger, message, and the `fields` of the record.

    For a record with an `event`, the event replaces the message, which repeats the fields.

    with_process: add the process id as `pid`.
    """

    def __init__(self, *, with_process: bool = False) -> None:
        super().__init__()
        self._with_process = with_process

    def format(self, record: logging.LogRecord) -> str:
        """Format a record as one line of ASCII."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC)
            .isoformat(timespec="milliseconds")
            .replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            **({"pid": record.process} if self._with_process else {}),
            "message": getattr(record, "event", None) or record.getMessage(),
            **_fields(record),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return redacted(json.dumps(redacted_json(line), default=str))


class TextLines(logging.Formatter):
    """One line of text per record, followed by an indented traceback, if any.

    with_process: add the process id after the time.
    """

    def __init__(self, *, with_process: bool = False) -> None:
        super().__init__(TEXT.replace("%(asctime)s", "%(asctime)s [%(process)d]") if with_process else TEXT)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - named by logging
        """Format a line and escape control characters."""
        return _escaped(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802, ANN401 - the name and types that logging has
        """Indent a traceback, so that its lines differ from log lines."""
        return "\n".join(f"  {_escaped(line)}" for line in super().formatException(ei).split("\n"))

    def format(self, record: logging.LogRecord) -> str:
        """Format a record without secrets."""
        return redacted(super().format(record))


class CommandLines(TextLines):
    """A command's log lines: `Warning: …`, or only the message at level INFO.

    Messages of other packages have the package's name.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - named by logging
        """Format a line and escape control characters."""
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
