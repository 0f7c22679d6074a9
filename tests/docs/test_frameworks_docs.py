"""The examples of docs/frameworks.md run against a server, and its table names the fields there are."""

import re
from pathlib import Path

import pytest

from assay.app import Assay
from assay.integrations.searching import metadata
from tests.integration.web.conftest import running_server, settings_for, write_pages

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "frameworks.md").read_text(encoding="utf-8")


def test_every_example_finds_the_page_about_nodes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    examples = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(examples) == 4
    write_pages(tmp_path / "pages")
    with Assay.open(settings_for(tmp_path)) as assay:
        assert assay.publish().promoted
        hit = (ranking := assay.search("nodes", 1)).hits[0]
        fields = metadata(hit, ranking).keys()
    with running_server(tmp_path) as server:
        for example in examples:
            code = example.replace("http://127.0.0.1:8080", f"http://127.0.0.1:{server.port}")
            exec(code.replace("handbook", "manual"), {})
            assert "https://docs.example.org/robots/nodes" in capsys.readouterr().out
    rows = re.findall(r"^\| (`.*?) \|", PAGE.split("## Fields")[1], re.MULTILINE)
    assert sorted(name for row in rows for name in re.findall(r"`(\w+)`", row)) == sorted(fields)
