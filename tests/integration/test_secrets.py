"""No secret of the settings reaches an output, a log, an answer or a report, whatever a peer sends back."""

import base64
import json
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
from starlette.testclient import TestClient
from tests.folders import plant
from tests.integration.cli.commands import Run, runner
from tests.peers.echo import echo, telltale_postgres
from tests.peers.qdrant import QdrantPeer

from assay.adapters.telemetry.log_lines import JsonLines, TextLines
from assay.app import Assay
from assay.settings import load_settings
from assay.web.application import create_app

KEY = "kX7-very/secret+4711=="
PASSWORD = "p@ss/W0rd:9?x"
BASIC = base64.b64encode(f"bob:{PASSWORD}".encode()).decode()
LEAKS = {
    form.lower()
    for secret in (KEY, PASSWORD)
    for form in (secret, quote(secret, safe=""), base64.b64encode(secret.encode()).decode().rstrip("="))
} | {BASIC.rstrip("=").lower(), "ss/w0rd:9"}

ANSWERS = [(200, "name"), (200, "text"), (302, "text"), (400, "message"), (401, "name"), (500, "message")]


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Iterator[Run]:
    """Runs commands in a folder with a page; their log is written as in a process of their own."""
    plant(tmp_path, {"docs/lamp.md": "# The lamp\n\nThe lamp is switched on by a lever.\n"})
    root = logging.getLogger()
    level = root.level
    monkeypatch.setattr(root, "handlers", [])
    yield runner(monkeypatch, capsys, tmp_path)
    root.setLevel(level)


def _configure(folder: Path, **tables: Mapping[str, object]) -> None:
    lines = [] if "sources" in tables else ['[[sources]]\npath = "docs"\nbase_url = "https://docs.example"\n']
    for name, table in tables.items():
        lines.append(f"[[{name}]]" if name == "sources" else f"[{name}]")
        lines += [f"{key} = {json.dumps(value)}" if not isinstance(value, dict) else f"{key} = {_inline(value)}"
                  for key, value in table.items()]  # fmt: skip
    (folder / "assay.toml").write_text("\n".join(lines), encoding="utf-8")


def _inline(table: Mapping[str, object]) -> str:
    return "{" + ", ".join(f"{name} = {json.dumps(value)}" for name, value in table.items()) + "}"


def _require_nothing_told(assay: Run, folder: Path, *commands: tuple[str, ...]) -> None:
    """Run each command as people and as programs do, and look through all that came of it."""
    for command in commands:
        said = assay("-v", *command)
        _require_clean(said.out + said.err, " ".join(command))
    said = assay(*commands[-1], "--json")
    _require_clean(said.out + said.err, " ".join(commands[-1]))
    for report in (folder / "validation_results").glob("*"):
        _require_clean(report.read_text(encoding="utf-8"), report.name)


def _require_clean(text: str, where: str) -> None:
    for spelling in (text.lower(), unquote(text).lower()):
        found = [leak for leak in LEAKS if leak in spelling]
        assert not found, f"{where}: {found} in {text[:2_000]}"


@pytest.mark.parametrize("fault", ["echo-200", "echo-401", "echo-500"])
@pytest.mark.parametrize("grpc", [False, True], ids=["REST", "gRPC"])
def test_what_qdrant_repeats_is_masked(assay: Run, tmp_path: Path, fault: str, grpc: bool) -> None:
    with QdrantPeer(tmp_path / "peer", api_key=KEY, grpc_port=0 if grpc else None) as peer:
        reached = {"grpc": True, "grpc_port": peer.grpc_port} if grpc else {}
        table = {"url": peer.url, "api_key": KEY, "retries": 0, "patience_seconds": 0, **reached}
        _configure(tmp_path, qdrant=table)
        assert assay("publish").code == 0
        peer.fail(fault, times=None)
        _require_nothing_told(assay, tmp_path, ("publish", "--rebuild"), ("search", "lamp"), ("doctor",))
        peer.stop()


@pytest.mark.parametrize(("status", "shape"), ANSWERS)
@pytest.mark.parametrize("provider", ["cohere", "openai", "azure"])
def test_what_an_embedder_repeats_is_masked(assay: Run, tmp_path: Path, provider: str, status: int, shape: str) -> None:
    with echo(status, shape) as url:
        table = {"provider": provider, f"{provider}_api_key": KEY, "base_url": url, "model": "m", "dimensions": 8}
        _configure(tmp_path, embedding={**table, "retry_seconds": 0, "query_seconds": 0.1})
        _require_nothing_told(assay, tmp_path, ("publish",), ("doctor", "--ask-provider"))


@pytest.mark.parametrize("status", [200, 302, 401, 500])
def test_what_a_site_repeats_is_masked_also_where_it_is_its_page(assay: Run, tmp_path: Path, status: int) -> None:
    with echo(status, "page") as url:
        headers = {"Authorization": f"Basic {BASIC}", "X-Token": KEY}
        _configure(tmp_path, sources={"url": f"{url}/guide/", "headers": headers, "retries": 0})
        commands = (("publish",), ("doctor",), ("validate",), ("search", "basic authorization"))
        _require_nothing_told(assay, tmp_path, *commands)


@pytest.mark.parametrize("code", ["28P01", "XX000"])
@pytest.mark.parametrize("escaped", [True, False])
def test_what_postgres_repeats_is_masked(assay: Run, tmp_path: Path, code: str, escaped: bool) -> None:
    with telltale_postgres(code) as port:
        password = quote(PASSWORD, safe="") if escaped else PASSWORD
        _configure(tmp_path, catalog={"url": f"postgresql://bob:{password}@127.0.0.1:{port}/db", "connect_seconds": 2})
        _require_nothing_told(assay, tmp_path, ("publish",), ("doctor",))


@pytest.mark.parametrize(("status", "shape"), ANSWERS)
def test_what_another_assay_repeats_is_masked(assay: Run, tmp_path: Path, status: int, shape: str) -> None:
    topics = "name: lamps\ntopics:\n  - {id: lamp, text: How is the lamp switched on?, type: specific, judgments: []}\n"
    (tmp_path / "topics.yaml").write_text(topics, encoding="utf-8")
    _configure(tmp_path)
    with echo(status, shape) as url:
        _require_nothing_told(assay, tmp_path, ("validate", "--url", url, "--api-key", KEY, "--testset", "topics.yaml"))


@pytest.mark.parametrize("formatter", [TextLines(), JsonLines()])
def test_a_server_tells_its_clients_and_its_log_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, formatter: logging.Formatter
) -> None:
    caplog.set_level(logging.DEBUG)
    plant(tmp_path, {"docs/lamp.md": "# The lamp\n\nThe lamp is switched on by a lever.\n"})
    with QdrantPeer(tmp_path / "peer", api_key=KEY) as peer:
        values = {
            "data_dir": tmp_path / "index",
            "sources": [{"path": tmp_path / "docs", "base_url": "https://docs.example"}],
            "qdrant": {"url": peer.url, "api_key": KEY, "retries": 0, "patience_seconds": 0},
        }
        with Assay.open(load_settings(None, values)) as opened:
            assert opened.publish().promoted
            with TestClient(create_app(opened)) as client:
                for fault in ("echo-200", "echo-401", "echo-500"):
                    peer.fail(fault, times=None)
                    for path, body in (("/v1/search", {"query": "the lamp"}), ("/search", {"query": "the lamp"})):
                        answer = client.post(path, json=body)
                        assert answer.status_code == 503
                        _require_clean(answer.text + str(answer.headers), path)
                    _require_clean(client.get("/health").text, "/health")
        peer.stop()
    _require_clean("\n".join(formatter.format(record) for record in caplog.records), "the log")
