"""`import assay`: what it offers, and that it loads nothing before it is used."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.folders import plant

import assay
from assay import errors
from assay.app import PublishReport
from assay.model.evaluation import Verdict
from assay.model.validations import Validation

DOCS = Path(__file__).resolve().parent.parent.parent / "docs" / "python.md"


def test_everything_that_it_offers_is_there() -> None:
    assert {name for name in assay.__all__ if getattr(assay, name, None) is None} == set()
    assert set(assay.__all__) == set(dir(assay))


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'serach'"):
        _ = assay.serach


def test_it_offers_every_branch_of_the_error_tree() -> None:
    branches = {branch.__name__ for branch in errors.AssayError.__subclasses__()}
    assert branches <= set(assay.__all__)


def test_to_import_it_loads_no_other_part() -> None:
    code = "import sys, assay; print([name for name in sys.modules if name.startswith('assay.')])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    # The opener is registered so that the functions of seed 002 find what is above them; it imports nothing else.
    assert found.strip() == "['assay.contracts', 'assay.contracts.opening', 'assay.version']"


def test_a_search_loads_nothing_of_builds_and_of_the_gate() -> None:
    code = """if True:
        import sys
        from assay.cli.main import command_line
        command_line("search")
        print([name for name in sys.modules if name.startswith(("assay.ingest", "assay.validation", "markdown_it"))])
    """
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_to_open_and_connect_builds_and_asks_nothing(tmp_path: Path) -> None:
    with assay.open(tmp_path, data_dir=tmp_path / "data") as opened, assay.connect("http://127.0.0.1:9"):
        assert opened.settings.sources[0].path == tmp_path
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("argument", ["source", "config", "data_dir", "settings"])
def test_an_argument_of_another_type_is_named(argument: str) -> None:
    wrong: Any = {argument: 5}
    with pytest.raises(assay.InputError, match=rf"^{argument}: it must be .*, not int\."):
        assay.open(**wrong)


def test_a_site_is_a_source_too() -> None:
    with assay.open("https://docs.example.org/") as opened:
        assert opened.settings.sources[0].url == "https://docs.example.org/"


def test_settings_win_over_the_file(tmp_path: Path) -> None:
    config = tmp_path / "own.toml"
    config.write_text('[search]\nmode = "dense"\ntop_k = 7\n', encoding="utf-8")
    with assay.open(config=config, settings={"search": {"mode": "sparse"}}) as opened:
        assert opened.settings.search.mode is assay.Mode.SPARSE
        assert opened.settings.search.top_k == 7


@pytest.mark.parametrize("name", [name for name in assay.__all__ if name.endswith("Error")])
def test_the_guide_names_every_error(name: str) -> None:
    assert f"`{name}`" in DOCS.read_text(encoding="utf-8") or f"`assay.{name}`" in DOCS.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("title", "kind"), [("`publish()`", PublishReport), ("`validate()`", Validation), ("a verdict", Verdict)]
)
def test_the_guide_names_what_is_there(title: str, kind: type) -> None:
    table = DOCS.read_text(encoding="utf-8").split(f"| of {title} | is |\n|---|---|\n")[1].split("\n\n")[0]
    named = {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert len(named) >= 3
    assert named <= set(dir(kind))


def test_the_first_example_of_the_guide_runs_and_looks_at_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = plant(tmp_path, {"docs/a.md": "# Retries\n\nYou configure retries in the file.\n"}) / "docs" / "a.md"
    example = DOCS.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    exec(example, {})
    assert "Retries" in capsys.readouterr().out
    page.unlink()
    plant(tmp_path, {"docs/b.md": "# Others\n\nAnother text.\n"})
    exec(example, {})
    assert capsys.readouterr().out.startswith("FAIL: ")
