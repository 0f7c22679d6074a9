"""An MkDocs site's pages and translations are found, with the URLs that it serves them at."""

from pathlib import Path

import pytest
from tests.folders import plant

from assay.adapters.sources.folder.mkdocs.layout import is_locale, mkdocs_layout
from assay.adapters.sources.folder.routing import Convention
from assay.adapters.sources.folder.tree import Layout, LayoutOptions
from assay.errors import ConfigurationError, SourceError

BASE = "https://h.example"


def layout(root: Path, base_url: str | None = BASE, locale: str | None = None, version: str | None = None) -> Layout:
    return mkdocs_layout(root.resolve(), LayoutOptions("site", base_url, Convention.MKDOCS, version, locale))


def addresses(found: Layout) -> dict[str, str]:
    return {tree.folder: tree.address for tree in found.trees}


def test_the_configuration_says_where_docs_are_and_where_they_are_served(tmp_path: Path) -> None:
    plant(tmp_path, {"mkdocs.yml": "site_url: https://real.example/x/\ndocs_dir: manual", "manual/a.md": ""})
    found = layout(tmp_path, None)
    assert addresses(found) == {"manual": "https://real.example/x"}
    assert found.trees[0].site_root == "https://real.example"
    assert addresses(layout(tmp_path)) == {"manual": BASE}


def test_a_site_may_be_configured_in_a_folder(tmp_path: Path) -> None:
    plant(tmp_path, {"website/mkdocs.yml": "use_directory_urls: false", "website/docs/a.md": "", "README.md": ""})
    found = layout(tmp_path)
    assert found.site == "website"
    assert [(tree.folder, tree.directory_urls) for tree in found.trees] == [("website/docs", False)]


def test_without_a_configuration_docs_of_a_repository_or_the_folder_itself_are_read(tmp_path: Path) -> None:
    plant(tmp_path, {"repo/docs/a.md": "", "repo/README.md": "", "folder/a.md": "", "folder/docs/b.md": ""})
    assert addresses(layout(tmp_path / "repo")) == {"docs": BASE}
    assert addresses(layout(tmp_path / "folder")) == {"": BASE}


def test_configurations_inherit(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            "mkdocs.yml": "INHERIT: base/mkdocs.yml\ndocs_dir: manual",
            "base/mkdocs.yml": "site_url: https://real.example\ndocs_dir: docs",
            "manual/a.md": "",
        },
    )
    assert addresses(layout(tmp_path, None)) == {"manual": "https://real.example"}


@pytest.mark.parametrize("parent", ["mkdocs.yml", "../outside.yml", "missing.yml", "[1]"])
def test_inheriting_from_itself_from_outside_or_from_nothing_ends(tmp_path: Path, parent: str) -> None:
    plant(tmp_path, {"outside.yml": "docs_dir: /etc", "root/mkdocs.yml": f"INHERIT: {parent}", "root/docs/a.md": ""})
    assert addresses(layout(tmp_path / "root")) == {"docs": BASE}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("docs_dir: ../elsewhere", "outside the given folder"),
        ("docs_dir: missing", "no such folder"),
        ("a: b: c", r"mkdocs\.yml: line 1"),
        ("- a", r"mkdocs\.yml: line 1"),
        (b"\xff\xff", r"mkdocs\.yml: not UTF-8"),
    ],
)
def test_a_configuration_that_cannot_be_followed_is_an_error(tmp_path: Path, config: str | bytes, message: str) -> None:
    plant(tmp_path, {"mkdocs.yml": config, "docs/a.md": ""})
    with pytest.raises(SourceError, match=message):
        layout(tmp_path)


@pytest.mark.parametrize(
    "plugins", ["[search, macros]", "[search, {macros: {}}]", "{macros: {}}", "[material/search, macros]"]
)
def test_a_plugin_that_is_not_followed_is_said_with_the_way_out(tmp_path: Path, plugins: str) -> None:
    plant(tmp_path, {"mkdocs.yml": f"plugins: {plugins}", "docs/a.md": ""})
    (notice,) = layout(tmp_path).notices
    assert "not followed: macros (the templates in pages are left out)" in notice
    assert "publish `site/` instead" in notice


def test_an_extension_that_is_not_followed_is_said(tmp_path: Path) -> None:
    plant(tmp_path, {"mkdocs.yml": "markdown_extensions: [admonition, mkautodoc]", "docs/a.md": ""})
    (notice,) = layout(tmp_path).notices
    assert "not followed: mkautodoc (the documentation of code" in notice


def test_hooks_are_said_as_programs_that_change_pages(tmp_path: Path) -> None:
    plant(tmp_path, {"mkdocs.yml": "hooks: [hooks/titles.py]", "docs/a.md": ""})
    (notice,) = layout(tmp_path).notices
    assert "not followed: hooks (the changes that these programs make to pages are missing)" in notice


def test_plugins_that_change_no_page_or_are_followed_or_off_need_no_notice(tmp_path: Path) -> None:
    plugins = "[search, include-markdown, exclude, blog, awesome-pages, literate-nav, redirects, macros: {enabled: no}]"
    plant(tmp_path, {"mkdocs.yml": f"plugins: {plugins}", "docs/a.md": ""})
    assert layout(tmp_path).notices == ()


# --- locales -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["en", "fr", "pt-BR", "zh-hant", "zh_CN", "em"])
def test_languages_are_known(name: str) -> None:
    assert is_locale(name)


@pytest.mark.parametrize("name", ["api", "xx", "ui", "english", "EN", "e", "", "en-", "docs"])
def test_other_names_are_not_languages(name: str) -> None:
    assert not is_locale(name)


def test_each_locale_may_have_a_site_of_its_own(tmp_path: Path) -> None:
    names = ["docs/en/docs/a.md", "docs/de/docs/a.md", "docs/fr/docs/a.md", "docs/api/docs/a.md", "docs/en/mkdocs.yml"]
    plant(tmp_path, {**dict.fromkeys(names, ""), "docs/en/mkdocs.yml": "site_url: https://real.example/"})
    found = layout(tmp_path, None)
    assert addresses(found) == {
        "docs/en/docs": "https://real.example",
        "docs/de/docs": "https://real.example/de",
        "docs/fr/docs": "https://real.example/fr",
    }
    assert [(tree.locale, tree.locale_is_default) for tree in found.trees] == [
        ("en", True),
        ("de", False),
        ("fr", False),
    ]
    assert found.include_folders[0] == "docs/en"


def test_the_folder_of_the_locales_can_be_given_too(tmp_path: Path) -> None:
    plant(tmp_path, {"en/docs/a.md": "", "es/docs/a.md": ""})
    assert addresses(layout(tmp_path)) == {"en/docs": BASE, "es/docs": f"{BASE}/es"}


FOLDERS = (
    "plugins:\n- i18n: {docs_structure: folder, languages: [{locale: de, default: true}, {locale: xx}, {locale: fr}]}"
)


def test_the_i18n_plugin_may_keep_locales_in_folders(tmp_path: Path) -> None:
    plant(tmp_path, {"mkdocs.yml": FOLDERS, "docs/de/a.md": "", "docs/xx/a.md": "", "docs/other/a.md": ""})
    assert addresses(layout(tmp_path)) == {"docs/de": BASE, "docs/xx": f"{BASE}/xx"}


def test_the_i18n_plugin_may_keep_locales_in_suffixes(tmp_path: Path) -> None:
    config = "plugins: [{i18n: {languages: [{locale: en, default: true}, {locale: fr}]}}]"
    plant(tmp_path, {"mkdocs.yml": config, "docs/a.md": "", "docs/a.fr.md": ""})
    trees = layout(tmp_path).trees
    assert [(tree.folder, tree.address, tree.suffix, tree.other_suffixes) for tree in trees] == [
        ("docs", BASE, "", ("fr",)),
        ("docs", f"{BASE}/fr", "fr", ()),
    ]


def test_folders_that_are_all_languages_are_locales_without_a_configuration(tmp_path: Path) -> None:
    plant(tmp_path, {"docs/en/a.md": "", "docs/ja/a.md": "", "docs/img/x.png": "", "README.md": ""})
    assert addresses(layout(tmp_path)) == {"docs/en": BASE, "docs/ja": f"{BASE}/ja"}


@pytest.mark.parametrize(
    "files", [["docs/en/a.md"], ["docs/en/a.md", "docs/ja/a.md", "docs/b.md"], ["docs/it/a.md", "docs/id/a.md"]]
)
def test_a_folder_that_only_happens_to_be_named_like_a_language_is_none(tmp_path: Path, files: list[str]) -> None:
    plant(tmp_path, {**dict.fromkeys(files, ""), "README.md": ""})
    assert addresses(layout(tmp_path)) == {"docs": BASE}


def test_the_caller_may_say_which_locale_is_the_default(tmp_path: Path) -> None:
    plant(tmp_path, {"docs/en/docs/a.md": "", "docs/de/docs/a.md": ""})
    found = layout(tmp_path, locale="de")
    assert [tree.locale for tree in found.trees if tree.locale_is_default] == ["de"]
    with pytest.raises(ConfigurationError, match="no locale 'it'; it has"):
        layout(tmp_path, locale="it")


def test_a_version_is_refused_for_there_is_only_one(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": ""})
    with pytest.raises(ConfigurationError, match="no version '2'"):
        layout(tmp_path, version="2")
