"""A docs folder without its configuration is read as the site above it serves it."""

import logging
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.folders import folder, pages, paths, plant, read

from assay.errors import SourceError
from assay.ports import INFORMATION

PRESET = "presets: [['classic', {docs: {routeBasePath: 'manual'}}]]"
DOCUSAURUS = f"export default {{url: 'https://real.example', baseUrl: '/', {PRESET}}};"
MKDOCS = "site_url: https://real.example/handbook/\ndocs_dir: text\nuse_directory_urls: false"
PLUGIN = "docusaurus-plugin-content-docs"


def repository(root: Path, files: Mapping[str, str]) -> Path:
    """A repository with these files."""
    return plant(root, {".git/HEAD": "", **files})


@pytest.mark.parametrize("given", ["", "docs", "docs/guides"])
@pytest.mark.parametrize("base", ["https://docs.example.org", None])
def test_docs_of_docusaurus_have_the_addresses_of_their_site(tmp_path: Path, given: str, base: str | None) -> None:
    repository(
        tmp_path,
        {"docusaurus.config.js": DOCUSAURUS, "docs/intro.md": "", "docs/guides/02-b.md": "---\nslug: /moved\n---\n"},
    )
    found = paths(read(tmp_path / given, base), base or "https://real.example")
    expected = {"docs/intro.md": "/manual/intro", "docs/guides/02-b.md": "/manual/moved"}
    assert found == {key: url for key, url in expected.items() if key.startswith(given)}


@pytest.mark.parametrize("given", ["", "text", "text/guides"])
@pytest.mark.parametrize("base", ["https://docs.example.org", None])
def test_docs_of_mkdocs_have_the_addresses_of_their_site(tmp_path: Path, given: str, base: str | None) -> None:
    repository(tmp_path, {"mkdocs.yml": MKDOCS, "text/index.md": "", "text/guides/b.md": ""})
    found = paths(read(tmp_path / given, base), base or "https://real.example/handbook")
    expected = {"text/index.md": "/" if base else "", "text/guides/b.md": "/guides/b.html"}
    assert found == {key: url for key, url in expected.items() if key.startswith(given)}


@pytest.mark.parametrize("config", ["docusaurus.config.js", "mkdocs.yml"])
def test_what_decides_the_addresses_is_said(tmp_path: Path, config: str, caplog: pytest.LogCaptureFixture) -> None:
    repository(tmp_path, {config: "", "docs/a.md": ""})
    with caplog.at_level(logging.INFO):
        read(tmp_path / "docs")
    assert f"site in {tmp_path}, to which this folder belongs" in caplog.text
    assert "It does not hold" not in caplog.text


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("", None),
        ("docs", "versions 2.0, 1.0 and locale fr"),
        ("versioned_docs", "version next and locale fr"),
        ("i18n/fr", "versions 2.0, 1.0 and locale en"),
    ],
)
def test_versions_and_locales_outside_the_folder_are_named(tmp_path: Path, given: str, named: str | None) -> None:
    i18n = "i18n: {defaultLocale: 'en', locales: ['en', 'fr']}"
    repository(
        tmp_path,
        {
            "docusaurus.config.js": f"export default {{url: 'https://real.example', baseUrl: '/', {i18n}, {PRESET}}};",
            "versions.json": '["2.0", "1.0"]',
            "docs/a.md": "",
            "versioned_docs/version-1.0/a.md": "",
            "versioned_docs/version-2.0/a.md": "",
            f"i18n/fr/{PLUGIN}/current/a.md": "",
        },
    )
    information = folder(tmp_path / given).layout().information
    said = [sentence for sentence in information if sentence.startswith("It does not hold")]
    told = f"It does not hold the site's {named}. To read these too, give the folder of the site."
    assert said == ([told] if named else [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# A", "read as plain Markdown: the address of a page is the base URL and the path"),
        (":::tip\nA\n:::", "read as plain Markdown"),
        ("import A from '@theme/A'", "must end in the docs' route"),
        ("!!! note\n", "No mkdocs.yml claims this folder"),
    ],
)
def test_without_a_configuration_the_convention_is_said(tmp_path: Path, text: str, said: str) -> None:
    repository(tmp_path, {"docs/a.md": text})
    assert sum(said in notice for notice in folder(tmp_path / "docs").layout().information) == 1
    for convention in ("docusaurus", "mkdocs", "plain"):
        assert folder(tmp_path / "docs", convention=convention).layout().information == ()


def test_the_convention_is_said_at_the_first_build_only(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    repository(tmp_path, {"docs/a.md": "# A"})
    source = folder(tmp_path / "docs")
    for known, name in (({}, INFORMATION), ({"a.md": "0" * 64}, "assay.adapters.sources.folder.source")):
        caplog.clear()
        with caplog.at_level(logging.INFO):
            list(source.read(known))
        assert [one.name for one in caplog.records if "read as plain Markdown" in one.getMessage()] == [name]


def test_a_site_beside_the_docs_of_its_repository_claims_them(tmp_path: Path) -> None:
    config = "export default {presets: [['classic', {docs: {path: '../docs'}}]]}"
    repository(tmp_path, {"website/docusaurus.config.js": config, "docs/a.md": ""})
    assert paths(read(tmp_path / "docs")) == {"docs/a.md": "/docs/a"}
    (tmp_path / ".git/HEAD").unlink()
    (tmp_path / ".git").rmdir()
    assert paths(read(tmp_path / "docs")) == {"a.md": "/a"}


@pytest.mark.parametrize(
    "files",
    [
        {"docusaurus.config.js": "export default {presets: [['classic', {docs: {path: 'other'}}]]}", "other/b.md": ""},
        {"docusaurus.config.js": "export default {presets: [['classic', {docs: false}]]}"},
        {"mkdocs.yml": "docs_dir: other", "other/b.md": ""},
        {"mkdocs.yml": "docs_dir: missing"},
        {"website/mkdocs.yml": "", "website/docs/b.md": ""},
    ],
    ids=range(5),
)
def test_a_configuration_with_its_docs_elsewhere_claims_nothing(tmp_path: Path, files: dict[str, str]) -> None:
    repository(tmp_path, {**files, "docs/a.md": ""})
    assert paths(read(tmp_path / "docs")) == {"a.md": "/a"}


@pytest.mark.parametrize("config", ["docusaurus.config.js", "mkdocs.yml"])
def test_it_is_not_looked_for_beyond_the_repository_or_two_folders(tmp_path: Path, config: str) -> None:
    repository(tmp_path / "docs/repo", {"a.md": ""})
    plant(tmp_path, {config: "", "docs/1/2/3/a.md": ""})
    assert paths(read(tmp_path / "docs/repo")) == {"a.md": "/a"}
    assert paths(read(tmp_path / "docs/1/2")) == {"3/a.md": "/3/a"}
    assert paths(read(tmp_path / "docs/1")).keys() == {"docs/1/2/3/a.md"}


def test_a_version_given_alone_has_its_own_address_and_is_searched_by_default(tmp_path: Path) -> None:
    repository(
        tmp_path,
        {
            "docusaurus.config.js": DOCUSAURUS,
            "docs/a.md": "",
            "versions.json": '["2.0", "1.0"]',
            "versioned_docs/version-2.0/a.md": "",
            "versioned_docs/version-1.0/a.md": "",
            f"i18n/fr/{PLUGIN}/version-2.0/a.md": "",
        },
    )
    for given, path in {
        "docs": "/manual/next/a",
        "versioned_docs/version-1.0": "/manual/1.0/a",
        "i18n/fr": "/fr/manual/a",
    }.items():
        (page,) = pages(read(tmp_path / given)).values()
        assert page.url == f"https://docs.example.org{path}"
        assert page.primary


def test_a_host_alone_gets_the_path_that_docusaurus_is_configured_for(tmp_path: Path) -> None:
    config = DOCUSAURUS.replace("baseUrl: '/'", "baseUrl: '/project/'")
    repository(tmp_path, {"docusaurus.config.js": config, "docs/a.md": ""})
    for base in ("https://docs.example.org", "https://docs.example.org/project"):
        assert paths(read(tmp_path / "docs", base)) == {"docs/a.md": "/project/manual/a"}
    assert paths(read(tmp_path / "docs", "https://docs.example.org/preview")) == {"docs/a.md": "/preview/manual/a"}


def test_what_a_page_includes_from_beside_the_folder_comes_with_it(tmp_path: Path) -> None:
    text = "import Part from '@site/src/part.mdx'\n\n<Part />"
    repository(tmp_path, {"docusaurus.config.js": DOCUSAURUS, "docs/a.mdx": text, "src/part.mdx": "Shared."})
    (page,) = pages(read(tmp_path / "docs")).values()
    assert page.includes == {"@site/src/part.mdx": "Shared."}


def test_a_configuration_above_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    repository(tmp_path, {"mkdocs.yml": "a: b: c", "docs/a.md": ""})
    with pytest.raises(SourceError, match=r"mkdocs\.yml: line 1"):
        read(tmp_path / "docs")
    assert paths(read(tmp_path / "docs", convention="plain")) == {"a.md": "/a"}
