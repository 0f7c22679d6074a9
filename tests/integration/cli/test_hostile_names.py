"""Names and words of others on the terminal and in the log: nothing that a terminal obeys, and no line of their own."""

import ast
import logging
import re
from pathlib import Path

import pytest
from tests.integration.cli.commands import Run
from tests.peers.qdrant import QdrantPeer

import assay as package

NASTY = "a\x1b[31m\x07\nFAKE line\r\x9b2J\u202e"
OBEYED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch, assay: Run) -> Run:
    """Runs commands whose log is written as in a process of their own."""
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    return assay


def _require_harmless(text: str) -> None:
    assert not OBEYED.search(text), repr(text)
    assert not [line for line in text.splitlines() if line.lstrip().startswith("FAKE")], text


def test_the_name_of_a_file_that_fails(logged: Run, folder: Path) -> None:
    for number, content in enumerate((b"\xff\xfe\xff", b"---\ntitle: [\n---\n# x\n", b"")):
        (folder / "docs" / f"{number}{NASTY}.md").write_bytes(content)
    for command in (("publish",), ("doctor",), ("ingest", "--dry-run", "--rebuild"), ("-v", "publish", "--rebuild")):
        said = logged(*command)
        assert "FAKE" in said.out + said.err
        _require_harmless(said.out + said.err)


def test_what_a_server_says(logged: Run, folder: Path, tmp_path: Path) -> None:
    with QdrantPeer(tmp_path / "peer", api_key=None) as peer:
        toml = (folder / "assay.toml").read_text("utf-8")
        table = f'[qdrant]\nurl = "{peer.url}"\nretries = 0\npatience_seconds = 0\n'
        (folder / "assay.toml").write_text(toml + table, "utf-8")
        peer.nasty = NASTY
        peer.fail("nasty", times=None)
        for command in (("publish",), ("doctor",)):
            said = logged(*command)
            assert "FAKE" in said.out + said.err
            _require_harmless(said.out + said.err)
        peer.stop()


def test_only_one_place_prints_and_one_logs() -> None:
    source = Path(package.__file__).parent
    allowed = {"cli/terminal/output.py", "cli/main.py", "web/serving/listening.py", "web/middleware/logs.py"}
    writing = {"print", "Console", "sys.stdout.write", "sys.stderr.write", "typer.echo", "logging.StreamHandler"}
    found = set()
    for path in source.rglob("*.py"):
        calls = (node.func for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call))
        if writing & {ast.unparse(call) for call in calls}:
            found.add(path.relative_to(source).as_posix())
    assert found <= allowed
