"""`assay serve` as a process."""

import json
import re
import signal
import socket
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from tests.integration.cli.commands import assay, forked


def _log_of_a_server(folder: Path, **variables: str) -> list[str]:
    """Serve until the address is announced, stop, and give the log's lines."""
    log = folder / "server.log"
    with closing(
        forked(folder, "serve", "--port", "0", log=log, ASSAY_SERVER__DRAIN_SECONDS="0", **variables)
    ) as server:
        assert server.stdout.readline().startswith("Assay answers at http://127.0.0.1:")
        server.send_signal(signal.SIGTERM)
        server.wait(60)
        assert server.returncode == 0, log.read_text()
    return log.read_text().splitlines()


def test_every_line_of_a_server_has_its_time(tmp_path: Path) -> None:
    lines = _log_of_a_server(tmp_path)
    assert lines
    assert [line for line in lines if not re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} [A-Z]+ ", line)] == []


def test_a_server_logs_json_where_the_settings_say_so(tmp_path: Path) -> None:
    (tmp_path / "assay.toml").write_text('[server]\nlog_format = "json"\n', encoding="utf-8")
    lines = [json.loads(line) for line in _log_of_a_server(tmp_path)]
    assert lines
    assert all({"time", "level", "logger", "message"} <= line.keys() for line in lines)


def test_the_set_up_of_the_catalog_leaves_no_lines(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text("# Wheels\n\nThe wheels are locked.\n", encoding="utf-8")
    said = assay(tmp_path, "--verbose", "publish", "docs", "--base-url", "https://docs.example")
    assert said.code == 0
    assert "alembic" not in said.err


def test_a_log_format_that_there_is_not_is_refused_with_its_setting(tmp_path: Path) -> None:
    said = assay(tmp_path, "serve", ASSAY_SERVER__LOG_FORMAT="xml")
    assert said.code == 2
    assert "server.log_format = 'xml'" in said.err


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_an_address_that_others_reach_needs_public(tmp_path: Path, host: str) -> None:
    said = assay(tmp_path, "serve", "--host", host, "--port", "0")
    assert said.code == 2
    assert "--public" in said.err


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = assay(tmp_path, "serve", "--port", str(port))
    assert said.code == 2
    assert f"Cannot listen on port {port} of 127.0.0.1" in said.err


def test_a_candidate_can_be_served_before_it_goes_live(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text("# Wheels\n\nThe wheels are locked.\n", encoding="utf-8")
    built = assay(tmp_path, "ingest", "docs", "--base-url", "https://docs.example", "--json").body["generation"]
    arguments = ("serve", "--port", "0", "--generation", "candidate")
    with closing(forked(tmp_path, *arguments, log=tmp_path / "server.log")) as server:
        address = server.stdout.readline().rpartition(" ")[2].strip()
        answer = httpx.post(f"{address}/v1/search", json={"query": "wheels"})
        assert (answer.status_code, answer.json()["generation"]) == (200, built)
        assert assay(tmp_path, "search", "wheels").code == 2


def test_a_generation_that_is_not_there_is_not_served(tmp_path: Path) -> None:
    said = assay(tmp_path, "serve", "--port", "0", "--generation", "20000101-000000-000000")
    assert said.code == 2
    assert "nothing has been ingested" in said.err
