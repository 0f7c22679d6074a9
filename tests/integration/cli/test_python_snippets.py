"""The offline Python of README and docs runs as it is written; the other blocks of Python are counted."""

from pathlib import Path

import pytest
from tests.copies import copy_tree
from tests.folders import plant
from tests.integration.cli.conftest import planted_pages
from tests.snippets import Snippet, snippets

from assay.app import Assay
from assay.settings import load_settings

PYTHON = [snippet for snippet in snippets() if snippet.language == "python"]
OFFLINE = [snippet for snippet in PYTHON if "assay.connect(" not in snippet.text.replace("# or assay.connect(", "")]
OFFLINE = [one for one in OFFLINE if one.page not in {"frameworks.md", "recipes.md"} and "@pytest" not in one.text]


def test_what_does_not_run_here_needs_a_server_or_is_a_test() -> None:
    assert (len(OFFLINE), len(PYTHON)) == (3, 12)


_PAGE = {"docs/nodes.md": "# How nodes communicate\n\nNodes communicate over topics. Configure retries for each.\n"}


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory whose index answers the questions of the pages."""
    folder = plant(planted_pages(tmp_path_factory.mktemp("published")), _PAGE)
    with Assay.open(load_settings(folder / "assay.toml", {"data_dir": folder / ".assay"})) as opened:
        assert opened.publish().promoted
    return folder / ".assay"


@pytest.mark.parametrize("snippet", OFFLINE, ids=str)
def test_a_block_runs(
    snippet: Snippet,
    folder: Path,
    published: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    copy_tree(published, folder / ".assay")
    plant(folder, _PAGE)
    monkeypatch.chdir(folder)
    exec(compile(snippet.text, str(snippet), "exec"), {})
    assert capsys.readouterr().out.strip()
