"""A built site is told from the Markdown that it is built from."""

from pathlib import Path

import pytest
from tests.built_folders import page, plant, small_site

from assay.adapters.sources.built.detection import is_built_site

HTML = page("A page")


@pytest.mark.parametrize(
    "files",
    [
        small_site(),
        {"index.html": HTML},
        {"guide.html": HTML, "use.html": HTML},
        {"docs/a/index.html": HTML, "sitemap.xml": b"<urlset/>"},
        {"index.html": HTML, "a.html": HTML, "index.md": b"# A", "a.md": b"# A", "llms.txt": b"# A"},
        {"index.html": HTML, "_sources/index.rst.txt": b"A"},
    ],
    ids=["everything", "one page", "no index", "no index at the root", "Markdown copies", "Sphinx"],
)
def test_a_folder_of_html_is_a_built_site(tmp_path: Path, files: dict[str, bytes]) -> None:
    assert is_built_site(plant(tmp_path, files))


@pytest.mark.parametrize(
    "files",
    [
        {"index.md": b"# A"},
        {"index.md": b"# A", "demo.html": HTML, "other.html": HTML},
        {"README.md": b"# A", "_sidebar.md": b"a", "setup.md": b"# B", "index.html": HTML},
        {"mkdocs.yml": b"site_name: A", "docs/index.md": b"# A", "index.html": HTML},
        {"docusaurus.config.js": b"", "docs/index.md": b"# A", "index.html": HTML, "b.html": HTML},
        {
            "antora-playbook.yml": b"",
            "docs/antora.yml": b"name: a",
            "docs/modules/ROOT/pages/a.adoc": b"= A",
            "out/a.html": HTML,
        },
        {"conf.py": b"extensions = []", "a.rst": b"A", "_build/html/index.html": HTML},
        {"source/conf.py": b"extensions = []", "source/a.rst": b"A", "build/html/index.html": HTML},
        {"partial.html": b"{% macro a() %}{% endmacro %}"},
        {"style.css": b"body {}"},
        {},
    ],
    ids=[
        "Markdown",
        "Markdown with a demo",
        "Docsify",
        "MkDocs",
        "Docusaurus",
        "Antora",
        "Sphinx",
        "Sphinx in two folders",
        "a template",
        "assets",
        "nothing",
    ],
)
def test_a_folder_of_markdown_or_without_pages_is_not(tmp_path: Path, files: dict[str, bytes]) -> None:
    assert not is_built_site(plant(tmp_path, files))


def test_a_folder_that_is_not_there_is_not(tmp_path: Path) -> None:
    assert not is_built_site(tmp_path / "missing")


@pytest.mark.parametrize("name", ["dist.zip", "dist.tar.gz", "dist.tgz", "dist.tar", "DIST.ZIP"])
def test_an_archive_is_a_built_site(tmp_path: Path, name: str) -> None:
    assert not is_built_site(tmp_path / name)
    (tmp_path / name).write_bytes(b"")
    assert is_built_site(tmp_path / name)
