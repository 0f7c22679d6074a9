"""`assay docs` lists and prints the pages of documentation."""

import ast
import re
import sys
import tomllib

import pytest
from tests.docs.pages import DOCS
from tests.integration.cli.commands import Run

from assay.app import shipped_folder

NAMES = {page.stem for page in DOCS.glob("*.md")}


def test_every_page_is_listed_once_with_a_line_of_its_own(assay: Run) -> None:
    pages = assay("docs", "--json").body["pages"]
    assert sorted(page["name"] for page in pages) == sorted(NAMES)
    assert all(page["about"] for page in pages)
    assert len({page["about"] for page in pages}) == len(pages)
    listed = assay("docs").out
    assert all(re.search(rf"^ +{page['name']} +{re.escape(page['about'])}", listed, re.MULTILINE) for page in pages)


@pytest.mark.parametrize("name", ["settings", "settings.md", "docs/settings.md", "Settings"])
def test_a_page_is_printed_as_it_was_written_where_no_person_looks(assay: Run, name: str) -> None:
    text = (DOCS / "settings.md").read_text(encoding="utf-8")
    assert assay("docs", name).out == text
    assert assay("docs", name, "--json").body == {"name": "settings", "text": text}


@pytest.mark.parametrize(
    ("name", "page"), [("glossary", "index"), ("lost topics", "validation"), ("fallen topics", None)]
)
def test_a_page_is_found_by_a_heading(assay: Run, name: str, page: str | None) -> None:
    said = assay("docs", name, "--json")
    assert (said.code, said.body.get("name")) == ((0, page) if page else (2, None))


@pytest.mark.parametrize("name", ["README", "README.md", "readme"])
def test_the_readme_is_printed_too(assay: Run, name: str) -> None:
    assert assay("docs", name).out == (DOCS.parent / "README.md").read_text(encoding="utf-8")


def test_a_decision_is_printed_by_its_path(assay: Run) -> None:
    (decision,) = (DOCS / "decisions").glob("0029-*.md")
    assert assay("docs", f"decisions/{decision.name}").out == decision.read_text(encoding="utf-8")


def test_a_page_is_laid_out_through_the_pager_on_a_terminal(assay: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    paged: list[str] = []
    monkeypatch.setattr("pydoc.pager", paged.append)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert assay("docs", "postgres").out == ""
    assert "The catalog in Postgres" in paged[0]
    assert "# The catalog in Postgres" not in paged[0]


@pytest.mark.parametrize(("name", "advice"), [("setings", "Did you mean settings?"), ("zzzz", "")])
def test_a_page_that_there_is_not_is_wrong_use_with_the_name_that_may_be_meant(
    assay: Run, name: str, advice: str
) -> None:
    said = assay("docs", name)
    assert said.code == 2
    assert f"There is no page '{name}'." in said.err
    assert ("Did you mean" in said.err) == bool(advice)
    assert advice in said.err
    assert "`assay docs` lists the pages." in said.err


def test_every_page_that_a_message_names_is_there() -> None:
    texts = [file.read_text(encoding="utf-8") for file in (DOCS.parent / "src").rglob("*.py")]
    named = {name for text in texts for name in re.findall(r"`assay docs ([a-z]+)`", text)}
    assert {"settings", "api", "python"} <= named <= NAMES


def test_no_message_names_the_file_of_a_page() -> None:
    """Who has the wheel has no folder `docs`."""
    path = re.compile(rf"\bdocs/({'|'.join(sorted(NAMES))})\.md")
    texts = [file.read_text(encoding="utf-8") for file in (DOCS.parent / "src").rglob("*.py")]
    statements = [node for text in texts if path.search(text) for node in ast.walk(ast.parse(text))]
    told = [
        part.value
        for node in statements
        if isinstance(node, ast.Call | ast.Assign)
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and path.search(part.value)
    ]
    assert told == []


def test_the_wheel_has_the_pages_in_the_package() -> None:
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    targets = project["tool"]["hatch"]["build"]["targets"]
    assert targets["wheel"]["force-include"]["docs"] == "assay/docs"
    assert targets["wheel"]["force-include"]["README.md"] == "assay/README.md"
    assert "docs" in targets["sdist"]["include"]
    assert shipped_folder("docs") == DOCS
