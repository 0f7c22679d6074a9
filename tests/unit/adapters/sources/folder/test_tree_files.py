"""Nothing below a folder vanishes: a document is a page or named with its reason, and other files are counted."""

import logging
from pathlib import Path

import pytest
from tests.folders import folder, paths, plant, read, reasons, unread

from assay.errors import SourceError
from assay.model.documents import UnreadFiles

OUTSIDE = "outside the site's docs folders"


def test_every_document_of_a_plain_folder_is_a_page(tmp_path: Path) -> None:
    plant(tmp_path, {"en/docs/a.md": "", "en/api/b.md": ""})
    assert paths(read(tmp_path)) == {"en/docs/a.md": "/en/docs/a", "en/api/b.md": "/en/api/b"}


def test_the_files_of_a_docusaurus_site_outside_its_docs_are_named_with_the_reason(tmp_path: Path) -> None:
    blog = "i18n/fr/docusaurus-plugin-content-blog/post.md"
    names = ["README.md", "docs/a.md", "blog/2024/post.mdx", "src/pages/about.md", "versioned_docs/version-1/b.md"]
    plant(tmp_path, {"docusaurus.config.js": "", "versions.json": "[]", blog: "", **dict.fromkeys(names, "")})
    items = read(tmp_path)
    assert paths(items) == {"docs/a.md": "/docs/a"}
    post = "a post of the site's blog; only its docs are read"
    assert reasons(items) == {
        "README.md": OUTSIDE,
        "blog/2024/post.mdx": post,
        blog: post,
        "src/pages/about.md": "a page of the site outside its docs; only its docs are read",
        "versioned_docs/version-1/b.md": OUTSIDE,
    }


def test_the_files_of_an_mkdocs_site_outside_its_docs_are_named_with_the_reason(tmp_path: Path) -> None:
    plant(tmp_path, {"mkdocs.yml": "", "docs/a.md": "", "README.md": "", "notes/b.md": ""})
    items = read(tmp_path)
    assert paths(items) == {"docs/a.md": "/a"}
    assert reasons(items) == {"README.md": OUTSIDE, "notes/b.md": OUTSIDE}


def test_hidden_documents_are_named_with_the_reason(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "", ".b.md": "", ".github/c.md": "", ".github/d/e.md": "", "x/.y/z.md": ""})
    items = read(tmp_path)
    assert paths(items) == {"a.md": "/a"}
    assert reasons(items) == {
        ".b.md": "a hidden file",
        ".github/c.md": "in .github/, a hidden folder",
        ".github/d/e.md": "in .github/, a hidden folder",
        "x/.y/z.md": "in .y/, a hidden folder",
    }


def test_a_hidden_folder_that_is_given_is_read(tmp_path: Path) -> None:
    plant(tmp_path, {".notes/a.md": ""})
    assert paths(read(tmp_path / ".notes")) == {"a.md": "/a"}


def test_other_files_are_counted_by_type_and_folders_of_tools_once(tmp_path: Path) -> None:
    names = ["a.md", "x.PNG", "x/y.png", "LICENSE", "b.rst", ".git/x.md", ".git/y/z", "x/node_modules/p/README.md"]
    plant(
        tmp_path, {**dict.fromkeys(names, ""), "site/index.html": "<html>", "env/pyvenv.cfg": "", ".github/f.yml": ""}
    )
    assert unread(tmp_path) == UnreadFiles(
        files={"": 1, "png": 2, "rst": 1, "yml": 1},
        documents={"rst": 1},
        folders=(".git", "env", "site", "x/node_modules"),
    )


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("<!doctype html><p>A page", True),
        ("<html><body>A page", True),
        ("<p>A fragment", False),
        ("<html>{{ content }}", False),
        ("<html>{% block content %}", False),
    ],
)
def test_a_page_of_html_is_documentation_and_a_template_is_not(tmp_path: Path, text: str, counts: bool) -> None:
    plant(tmp_path, {"a.md": "", "x.html": text})
    found = unread(tmp_path)
    assert found.files == {"html": 1}
    assert found.documents == ({"html": 1} if counts else {})


def test_only_what_is_in_the_docs_of_a_site_counts_as_its_documentation(tmp_path: Path) -> None:
    plant(tmp_path, {"mkdocs.yml": "", "docs/a.md": "", "docs/b.ipynb": "", "tests/c.rst": "", "d.adoc": ""})
    found = unread(tmp_path)
    assert found.files == {"adoc": 1, "ipynb": 1, "rst": 1, "yml": 1}
    assert found.documents == {"ipynb": 1}
    assert unread(tmp_path / "docs").files == {"ipynb": 1}


def test_locales_that_are_told_by_suffix_share_one_count(tmp_path: Path) -> None:
    config = "plugins: [{i18n: {languages: [{locale: en, default: true}, {locale: fr}]}}]"
    plant(tmp_path, {"mkdocs.yml": config, "docs/a.md": "", "docs/a.fr.md": "", "docs/b.rst": ""})
    assert unread(tmp_path).documents == {"rst": 1}


def test_documents_that_no_reader_takes_are_said_before_the_first_page(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    plant(tmp_path, {"a.md": "", "b.adoc": "", "c.adoc": "", "d.ipynb": ""})
    with caplog.at_level(logging.WARNING):
        next(iter(folder(tmp_path).read({})))
    assert "documents in unsupported formats are not in the index: 2 .adoc, 1 .ipynb." in caplog.text


def test_a_folder_of_nothing_but_other_formats_says_which(tmp_path: Path) -> None:
    plant(tmp_path, {"a.rst": "", "b.rst": ""})
    with pytest.raises(SourceError, match=r"no Markdown files in .*; it has 2 \.rst"):
        read(tmp_path)


REPORT = ("html", "json", "md", "xml")


def report(folder: str, stem: str = "report_20260102_030405", kinds: tuple[str, ...] = REPORT) -> dict[str, str]:
    """The files of a report of Assay's."""
    return {f"{folder}{stem}.{kind}": "<html><body>" for kind in kinds}


@pytest.mark.parametrize("place", ["validation_results/", "elsewhere/deep/", ""])
@pytest.mark.parametrize("stem", ["report_20260102_030405", "report_20260102_030405_2"])
def test_assays_own_reports_are_no_documents(
    tmp_path: Path, place: str, stem: str, caplog: pytest.LogCaptureFixture
) -> None:
    plant(tmp_path, {"a.md": "", f"{place}b.md": "", **report(place, stem)})
    items = read(tmp_path)
    assert set(paths(items)) == {"a.md", f"{place}b.md"}
    assert reasons(items) == {}
    assert unread(tmp_path) == UnreadFiles({}, {}, (place.rstrip("/") or ".",))
    assert "html" not in caplog.text


def test_assays_own_tables_of_variants_are_no_documents(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "", **report("results/", "sweep_20260102_030405", ("html", "json"))})
    assert unread(tmp_path) == UnreadFiles({}, {}, ("results",))


@pytest.mark.parametrize("kinds", [("md",), ("md", "html"), ("md", "json")])
@pytest.mark.parametrize("stem", ["report_20260102_030405", "reports_20260102_030405", "report_2026"])
def test_a_page_that_is_only_called_like_a_report_is_read(tmp_path: Path, kinds: tuple[str, ...], stem: str) -> None:
    plant(tmp_path, report("", stem, kinds))
    assert set(paths(read(tmp_path))) == {f"{stem}.md"}


def test_assays_own_folder_is_not_looked_into(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "", "index/generations/b.md": "", "index/c.html": "<html>"})
    assert paths(read(tmp_path, data_dir=tmp_path / "index")) == {"a.md": "/a"}
    assert unread(tmp_path, data_dir=tmp_path / "index") == UnreadFiles({}, {}, ("index",))
    assert set(paths(read(tmp_path, data_dir=tmp_path))) == {"a.md", "index/generations/b.md"}
