"""CONTRIBUTING.md and docs/architecture.md name files and rooms that are there."""

import re
import tomllib

import pytest

from tests.docs.pages import DOCS

ROOT = DOCS.parent
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ARCHITECTURE = (DOCS / "architecture.md").read_text(encoding="utf-8")
PATHS = sorted(set(re.findall(r"`((?:src|tests|docs)/[\w./-]*|[\w.-]+\.(?:md|toml|txt))`", CONTRIBUTING)))
MADE_BY_ASSAY = {"assay.toml"}


def test_the_map_names_many_paths() -> None:
    assert len(PATHS) > 40


@pytest.mark.parametrize("path", PATHS)
def test_every_path_of_the_map_is_there(path: str) -> None:
    beside = ROOT / "src/assay/adapters/sources/folder" / path  # named just before by its whole path
    assert path in MADE_BY_ASSAY or (ROOT / path).exists() or beside.exists()


def test_every_name_beside_a_path_is_in_a_file_that_the_map_names() -> None:
    named = set(re.findall(r"`(_?[A-Za-z]\w*[_A-Z]\w*|[A-Z]\w+)(?:\.(?!md)\w+)?`", CONTRIBUTING))
    files = [file for path in PATHS for file in ([ROOT / path] if path.endswith(".py") else (ROOT / path).glob("*.py"))]
    sources = [file.read_text(encoding="utf-8") for file in [*files, *(ROOT / "src/assay/testing").glob("*.py")]]
    assert named
    assert [name for name in sorted(named) if not any(re.search(rf"\b{name}\b", text) for text in sources)] == []


def test_every_name_is_defined_in_the_file_that_the_map_gives_for_it() -> None:
    places = re.findall(r"`(\w+)` in\s+`(src/[\w/]+\.py)`", CONTRIBUTING)
    assert len(places) > 4
    for name, path in places:
        definition = re.compile(rf"^ *(def|class) {name}\b|^{name}( =|:)", re.MULTILINE)
        assert definition.search((ROOT / path).read_text(encoding="utf-8")), f"{name} is not in {path}"


def test_every_table_of_settings_is_in_the_module_that_the_map_names() -> None:
    section = CONTRIBUTING.partition("### A setting\n")[2].partition("\n### ")[0]
    for module, tables in re.findall(r"`(\w+\.py)` has (.+?)[;.]", section, re.DOTALL):
        text = (ROOT / "src/assay/settings" / module).read_text(encoding="utf-8")
        for table in re.findall(r"`\[+(\w+)\]+`", tables):
            assert re.search(rf"class {table.rstrip('s').title()}\w*Settings", text), f"{table} is not in {module}"


def test_the_layers_of_the_page_are_those_that_are_checked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (contract,) = (one for one in contracts if one["type"] == "layers")
    block = re.search(r"## Layers\n.*?```\n(.*?)```", ARCHITECTURE, re.DOTALL)
    assert block
    assert block[1].splitlines() == contract["layers"]


def test_every_room_has_its_row() -> None:
    rooms = {path.name for path in (ROOT / "src/assay").iterdir() if (path / "__init__.py").exists()}
    rows = {
        room
        for row in re.findall(r"^\| (`.*?`) \|", ARCHITECTURE, re.MULTILINE)
        for room in re.findall(r"`(\w+)/`", row)
    }
    assert rows == rooms
