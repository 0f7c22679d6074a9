"""Log lines, for people and for machines."""

import json
import logging

import pytest

from assay.adapters.telemetry.log_lines import CommandLines, JsonLines, TextLines
from assay.web.middleware.logs import QueryLogRule, configure_logging, format_fields


def line_of(**extra: object) -> logging.LogRecord:
    return logging.makeLogRecord({"name": "assay.web", "levelno": 20, "levelname": "INFO", "msg": "hello", **extra})


def test_a_json_line_has_time_level_logger_message_and_the_fields() -> None:
    line = json.loads(JsonLines().format(line_of(fields={"request_id": "r1", "query": "räder\n"}, created=0.5)))
    assert line == {
        "time": "1970-01-01T00:00:00.500Z",
        "level": "info",
        "logger": "assay.web",
        "message": "hello",
        "request_id": "r1",
        "query": "räder\n",
    }


def test_an_event_is_named_instead_of_spelled_out() -> None:
    assert json.loads(JsonLines().format(line_of(event="request")))["message"] == "request"


def test_a_json_line_is_one_line_of_ascii_whatever_is_in_it() -> None:
    line = JsonLines().format(line_of(msg="a\nb", fields={"query": "räder \u2028 \ud800", "at": object}))
    assert line.isascii()
    assert "\n" not in line


def test_a_traceback_is_inside_the_line() -> None:
    try:
        raise ValueError("no")
    except ValueError as error:
        record = line_of(exc_info=(type(error), error, error.__traceback__))
    assert json.loads(JsonLines().format(record))["exception"].endswith("ValueError: no")


def test_formatted_fields_contain_no_line_breaks_or_bidirectional_controls() -> None:
    line = format_fields({"query": "a\nb\u202ec\u2028d", "hits": 3})
    assert line == "query='a\\nb\\u202ec\\u2028d' hits=3"


def test_an_existing_logging_configuration_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    root = logging.getLogger()
    own = logging.NullHandler()
    monkeypatch.setattr(root, "handlers", [own])
    configure_logging("text")
    assert root.handlers == [own]
    assert own.formatter is None


def test_whatever_writes_the_log_writes_json_when_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    root = logging.getLogger()
    own = logging.NullHandler()
    monkeypatch.setattr(root, "handlers", [own])
    configure_logging("json")
    assert isinstance(own.formatter, JsonLines)


@pytest.mark.parametrize(("log_format", "is_json"), [("json", True), ("text", False)])
def test_logging_is_set_up_in_the_format_asked_for(
    log_format: str, is_json: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = logging.getLogger()
    level = root.level
    monkeypatch.setattr(root, "handlers", [])
    try:
        configure_logging("json" if log_format == "json" else "text")
        (handler,) = root.handlers
        assert isinstance(handler.formatter, JsonLines) is is_json
        assert root.level == logging.INFO
    finally:
        root.setLevel(level)


def test_a_line_for_people_is_one_line_and_a_traceback_has_its_own() -> None:
    try:
        raise ValueError("no\x07")
    except ValueError as error:
        record = line_of(msg="a\nb\u202e\x1b[2J", created=0.5, exc_info=(type(error), error, error.__traceback__))
    first, *rest = TextLines().format(record).split("\n")
    assert first.endswith(r" INFO assay.web: a\nb\u202e\x1b[2J")
    assert rest[0] == "  Traceback (most recent call last):"
    assert rest[-1] == r"  ValueError: no\x07"


KEY = f"assay_abcdefgh_{'A1' * 21}z"


@pytest.mark.parametrize("formatter", [CommandLines(), TextLines(), JsonLines()])
def test_a_key_in_a_line_or_its_traceback_is_cut_down_to_its_id(formatter: logging.Formatter) -> None:
    try:
        raise ValueError(KEY)
    except ValueError as error:
        exc_info = (type(error), error, error.__traceback__)
    line = formatter.format(line_of(msg=f"a {KEY} b", fields={"path": f"/{KEY}"}, created=0.5, exc_info=exc_info))
    assert "A1A1" not in line
    assert line.count("assay_abcdefgh_") >= 2


def test_the_hash_of_a_query_differs_between_two_servers() -> None:
    first, second = (QueryLogRule("hash", secret).apply({"query": "nodes", "hits": 3}) for secret in (b"a", b"b"))
    assert first["query_hash"] != second["query_hash"]
    assert first["hits"] == 3
    assert "query" not in first


@pytest.mark.parametrize(
    ("name", "level", "line"),
    [
        ("assay.adapters.sources.folder.source", logging.WARNING, "Warning: docs: it is so"),
        ("assay.information", logging.INFO, "docs: it is so"),
        ("assay", logging.ERROR, "Error: docs: it is so"),
        ("qdrant_client.http", logging.WARNING, "Warning: qdrant_client: docs: it is so"),
        ("httpx", logging.INFO, "httpx: docs: it is so"),
    ],
)
def test_a_commands_line_has_the_message_and_no_logger_of_ours(name: str, level: int, line: str) -> None:
    record = logging.LogRecord(name, level, __file__, 1, "%s: it is so", ("docs",), None)
    assert CommandLines().format(record) == line


def test_a_commands_line_is_one_line_whatever_is_in_it() -> None:
    record = logging.LogRecord("assay.x", logging.WARNING, __file__, 1, "a\nWarning: b\x1b[2J", (), None)
    assert CommandLines().format(record) == r"Warning: a\nWarning: b\x1b[2J"
