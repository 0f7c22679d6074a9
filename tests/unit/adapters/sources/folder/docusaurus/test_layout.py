"""A Docusaurus site's versions, locales and plugins are found, with the URLs that it serves them at."""

import random
from pathlib import Path

import pytest
from tests.folders import plant

from assay.adapters.sources.folder.docusaurus.layout import docusaurus_layout, version_order
from assay.adapters.sources.folder.routing import Convention
from assay.adapters.sources.folder.tree import Layout, LayoutOptions, Tree
from assay.errors import ConfigurationError, SourceError

BASE = "https://h.example"


def layout(root: Path, base_url: str | None = BASE, **options: str) -> Layout:
    wished = LayoutOptions("site", base_url, Convention.DOCUSAURUS, options.get("version"), options.get("locale"))
    return docusaurus_layout(root.resolve(), wished)


def addresses(found: Layout) -> dict[str, str]:
    return {tree.folder: tree.address for tree in found.trees}


def by_folder(found: Layout) -> dict[str, Tree]:
    return {tree.folder: tree for tree in found.trees}


def versioned(root: Path, *versions: str, prefix: str = "") -> Path:
    return plant(root, {f"{prefix}versioned_docs/version-{version}/a.md": "" for version in versions})


# --- what folder is given ------------------------------------------------------------------------------------------


def test_a_repository_serves_its_docs_folder_under_docs(tmp_path: Path) -> None:
    plant(tmp_path, {"docs/a.md": "", "README.md": "", "CHANGELOG.md": ""})
    assert addresses(layout(tmp_path)) == {"docs": f"{BASE}/docs"}


def test_a_base_url_that_is_the_docs_own_is_not_doubled(tmp_path: Path) -> None:
    plant(tmp_path, {"docs/a.md": "", "README.md": ""})
    found = layout(tmp_path, f"{BASE}/docs")
    assert addresses(found) == {"docs": f"{BASE}/docs"}
    assert found.trees[0].site_root == f"{BASE}"


def test_a_docs_folder_alone_is_served_at_the_base_url(tmp_path: Path) -> None:
    plant(tmp_path, {"intro.md": "", "guides/a.md": "", "docs/b.md": ""})
    found = layout(tmp_path, f"{BASE}/docs")
    assert addresses(found) == {"": f"{BASE}/docs"}
    assert found.trees[0].site_root == BASE
    assert layout(tmp_path, f"{BASE}/handbook").trees[0].site_root == f"{BASE}/handbook"


def test_a_site_may_be_in_a_folder_beside_its_docs(tmp_path: Path) -> None:
    plant(tmp_path, {"docs/a.md": "", "README.md": ""})
    versioned(tmp_path / "website", "0.9", "0.10")
    found = layout(tmp_path)
    assert found.site == "website"
    assert addresses(found) == {
        "website/versioned_docs/version-0.10": f"{BASE}/docs",
        "docs": f"{BASE}/docs/next",
        "website/versioned_docs/version-0.9": f"{BASE}/docs/0.9",
    }


def test_a_configured_docs_path_beside_the_site_is_followed(tmp_path: Path) -> None:
    config = "x = {presets: [['classic', {docs: {path: '../manual', routeBasePath: '/guide'}}]]}"
    plant(tmp_path, {"web/docusaurus.config.js": config, "manual/a.md": "", "docs/b.md": ""})
    assert addresses(layout(tmp_path)) == {"manual": f"{BASE}/guide"}
    with pytest.raises(SourceError, match="outside the given folder") as caught:
        layout(tmp_path / "web")
    assert "parent folder" in caught.value.hint


def test_docs_may_be_served_at_the_sites_root(tmp_path: Path) -> None:
    config = "x = {presets: [['classic', {docs: {routeBasePath: '/'}}]]}"
    plant(tmp_path, {"docusaurus.config.ts": config, "docs/a.md": ""})
    assert addresses(layout(tmp_path)) == {"docs": BASE}
    assert addresses(layout(tmp_path, f"{BASE}/docs")) == {"docs": f"{BASE}/docs"}


def test_the_configured_address_is_used_when_none_is_given(tmp_path: Path) -> None:
    config = "x = {title: 't', url: 'https://real.example', baseUrl: '/project/'}"
    plant(tmp_path, {"docusaurus.config.js": config, "docs/a.md": ""})
    found = layout(tmp_path, None)
    assert addresses(found) == {"docs": "https://real.example/project/docs"}
    assert found.notices == ()


def test_a_site_that_is_configured_to_be_at_docs_has_its_docs_below(tmp_path: Path) -> None:
    plant(tmp_path, {"docusaurus.config.js": "x = {url: 'https://real.example', baseUrl: '/docs/'}", "docs/a.md": ""})
    assert addresses(layout(tmp_path, None)) == {"docs": "https://real.example/docs/docs"}


def test_without_any_address_urls_are_the_same_on_every_machine(tmp_path: Path) -> None:
    plant(tmp_path, {"docs/a.md": "", "README.md": ""})
    found = layout(tmp_path, None)
    assert addresses(found) == {"docs": "https://docs.invalid/site/docs"}
    assert "--base-url" in found.notices[0]


def test_an_address_in_the_configuration_that_is_none_is_noticed(tmp_path: Path) -> None:
    plant(tmp_path, {"docusaurus.config.js": "x = {url: 'not a url', baseUrl: '/'}", "docs/a.md": ""})
    found = layout(tmp_path, None)
    assert found.base_url == "https://docs.invalid/site"
    assert "not a url" in found.notices[0]


def test_every_docs_plugin_is_read(tmp_path: Path) -> None:
    config = """x = {presets: [['classic', {docs: {}}]],
      plugins: [['@docusaurus/plugin-content-docs', {id: 'team', path: 'team', routeBasePath: 'people'}]]}"""
    plant(tmp_path, {"docusaurus.config.js": config, "docs/a.md": "", "team/a.md": ""})
    versioned(tmp_path, "1.0", prefix="team_")
    plant(tmp_path, {"i18n/fr/docusaurus-plugin-content-docs-team/version-1.0/a.md": ""})
    assert addresses(layout(tmp_path)) == {
        "docs": f"{BASE}/docs",
        "team_versioned_docs/version-1.0": f"{BASE}/people",
        "i18n/fr/docusaurus-plugin-content-docs-team/version-1.0": f"{BASE}/fr/people",
        "team": f"{BASE}/people/next",
    }


# --- versions ------------------------------------------------------------------------------------------------------


def test_one_version_has_no_name(tmp_path: Path) -> None:
    plant(tmp_path, {"docs/a.md": "", "README.md": ""})
    tree = layout(tmp_path).trees[0]
    assert (tree.version, tree.version_is_current, tree.locale, tree.locale_is_default) == (None, True, None, True)


def test_versions_json_says_which_version_is_last(tmp_path: Path) -> None:
    plant(tmp_path, {"docs/a.md": "", "versions.json": '["1.0", "2.0-beta"]'})
    versioned(tmp_path, "1.0", "2.0-beta", "0.1")
    found = layout(tmp_path)
    trees = by_folder(found)
    assert trees["versioned_docs/version-1.0"].address == f"{BASE}/docs"
    assert trees["versioned_docs/version-1.0"].version_is_current
    assert trees["docs"].version == "next"
    assert not trees["docs"].version_is_current
    assert trees["versioned_docs/version-2.0-beta"].address == f"{BASE}/docs/2.0-beta"
    assert "versioned_docs/version-0.1" not in trees
    assert found.notices == ("versioned_docs/version-0.1 is not read: versions.json does not list it.",)


def test_without_versions_json_the_highest_version_is_last(tmp_path: Path) -> None:
    versioned(tmp_path, "1.9.0", "1.10.0", "2.0.0-rc.1", "1.x", "v1.9.1")
    trees = layout(tmp_path).trees
    assert [tree.version for tree in trees] == ["2.0.0-rc.1", "1.x", "1.10.0", "v1.9.1", "1.9.0"]
    assert [tree.version_is_current for tree in trees] == [True, False, False, False, False]


@pytest.mark.parametrize("docs", ["{lastVersion: '2.0'}", "{lastVersion: LAST}", "{includeCurrentVersion: false}"])
def test_a_listed_version_without_its_folder_is_said_and_the_others_keep_their_addresses(
    tmp_path: Path, docs: str
) -> None:
    config = f"const LAST = '2.0'; x = {{presets: [['classic', {{docs: {docs}}}]]}}"
    plant(tmp_path, {"docusaurus.config.js": config, "docs/a.md": "", "versions.json": '["2.0", "1.0"]'})
    versioned(tmp_path, "1.0")
    found = layout(tmp_path)
    trees = by_folder(found)
    assert trees["versioned_docs/version-1.0"].address == f"{BASE}/docs/1.0"
    assert trees["versioned_docs/version-1.0"].version_is_current
    assert ("docs" in trees) is ("includeCurrent" not in docs)
    if "docs" in trees:
        assert (trees["docs"].address, trees["docs"].version_is_current) == (f"{BASE}/docs/next", False)
    assert [
        "versions.json lists version 2.0, but versioned_docs/version-2.0 does not exist" in n for n in found.notices
    ] == [True]


def test_the_unreleased_version_is_the_default_where_no_released_one_has_a_folder(tmp_path: Path) -> None:
    plant(tmp_path, {"docusaurus.config.js": "", "docs/a.md": "", "versions.json": '["2.0"]'})
    (tree,) = layout(tmp_path).trees
    assert (tree.address, tree.version, tree.version_is_current) == (f"{BASE}/docs/next", "next", True)


def test_versions_sort_as_people_count() -> None:
    names = [
        "canary",
        "0.9",
        "0.10",
        "1.0.0-alpha.2",
        "1.0.0-alpha.10",
        "1.0.0-rc",
        "1.0.0",
        "1.0.1",
        "1.x",
        "v2",
        "10",
    ]
    shuffled = random.Random(7).sample(names, len(names))
    assert sorted(shuffled, key=version_order) == names


@pytest.mark.parametrize("text", ['{"a": 1}', "[1, 2]", "not json", "[" * 100_000, '"1.0"'])
def test_a_versions_json_that_is_no_list_of_names_is_an_error(tmp_path: Path, text: str) -> None:
    plant(tmp_path, {"docs/a.md": "", "versions.json": text})
    versioned(tmp_path, "1.0")
    with pytest.raises(SourceError, match=r"versions\.json"):
        layout(tmp_path)


def test_the_configuration_decides_about_versions(tmp_path: Path) -> None:
    docs = "{lastVersion: 'current', versions: {current: {path: 'edge'}, '1.0': {path: 'old/one'}}}"
    plant(tmp_path, {"docusaurus.config.js": f"x = {{presets: [['classic', {{docs: {docs}}}]]}}", "docs/a.md": ""})
    versioned(tmp_path, "1.0", "2.0")
    trees = by_folder(layout(tmp_path))
    assert (trees["docs"].version, trees["docs"].address) == ("current", f"{BASE}/docs/edge")
    assert trees["docs"].version_is_current
    assert trees["versioned_docs/version-1.0"].address == f"{BASE}/docs/old/one"
    assert trees["versioned_docs/version-2.0"].address == f"{BASE}/docs/2.0"


@pytest.mark.parametrize(
    ("docs", "versions"),
    [
        ("{includeCurrentVersion: false}", ["2.0", "1.0"]),
        ("{onlyIncludeVersions: ['1.0', 'current']}", ["1.0", "next"]),
        ("{disableVersioning: true}", [None]),
        ("{lastVersion: '1.0'}", ["1.0", "next", "2.0"]),
        ("{lastVersion: '7.0'}", ["2.0", "next", "1.0"]),
    ],
)
def test_only_what_the_site_serves_is_read(tmp_path: Path, docs: str, versions: list[str | None]) -> None:
    plant(tmp_path, {"docusaurus.config.js": f"x = {{presets: [['classic', {{docs: {docs}}}]]}}", "docs/a.md": ""})
    versioned(tmp_path, "1.0", "2.0")
    assert [tree.version for tree in layout(tmp_path).trees] == versions


@pytest.mark.parametrize("wished", ["1.0", "next", "current"])
def test_the_caller_may_say_which_version_is_current(tmp_path: Path, wished: str) -> None:
    plant(tmp_path, {"docs/a.md": "", "README.md": ""})
    versioned(tmp_path, "1.0", "2.0")
    found = layout(tmp_path, version=wished)
    current = [tree for tree in found.trees if tree.version_is_current]
    assert [tree.version for tree in current] == ["next" if wished == "current" else wished]
    assert addresses(found) == addresses(layout(tmp_path))


def test_a_version_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    versioned(tmp_path, "1.0", "2.0")
    with pytest.raises(ConfigurationError, match=r"no version '3\.0'; it has 2\.0, 1\.0"):
        layout(tmp_path, version="3.0")
    plant(tmp_path / "plain", {"a.md": ""})
    with pytest.raises(ConfigurationError, match="it has no versions"):
        layout(tmp_path / "plain", version="3.0")


# --- locales -------------------------------------------------------------------------------------------------------


def translated(root: Path, *paths: str) -> None:
    plant(root, {f"i18n/{path}/a.md": "" for path in paths})


def test_translations_are_served_under_their_locale(tmp_path: Path) -> None:
    plant(tmp_path, {"docs/a.md": "", "README.md": ""})
    versioned(tmp_path, "1.0")
    plugin = "docusaurus-plugin-content-docs"
    translated(tmp_path, f"fr/{plugin}/current", f"fr/{plugin}/version-1.0", f"pt-BR/{plugin}/version-1.0", "fr/other")
    found = layout(tmp_path)
    trees = by_folder(found)
    assert addresses(found) == {
        "versioned_docs/version-1.0": f"{BASE}/docs",
        f"i18n/fr/{plugin}/version-1.0": f"{BASE}/fr/docs",
        f"i18n/pt-BR/{plugin}/version-1.0": f"{BASE}/pt-BR/docs",
        "docs": f"{BASE}/docs/next",
        f"i18n/fr/{plugin}/current": f"{BASE}/fr/docs/next",
    }
    assert trees["docs"].locale == "en"
    assert trees[f"i18n/fr/{plugin}/version-1.0"].site_root == f"{BASE}/fr"
    assert trees[f"i18n/fr/{plugin}/version-1.0"].version_is_current
    assert not trees[f"i18n/fr/{plugin}/version-1.0"].locale_is_default
    assert trees["docs"].group == trees[f"i18n/fr/{plugin}/current"].group


def test_the_configuration_names_the_default_locale_and_those_that_are_built(tmp_path: Path) -> None:
    config = "x = {i18n: {defaultLocale: 'fr', locales: ['fr', 'de']}}"
    plant(tmp_path, {"docusaurus.config.js": config, "docs/a.md": ""})
    plugin = "docusaurus-plugin-content-docs/current"
    translated(tmp_path, f"de/{plugin}", f"it/{plugin}")
    found = layout(tmp_path)
    assert [(tree.locale, tree.locale_is_default) for tree in found.trees] == [("fr", True), ("de", False)]
    assert found.trees[0].address == f"{BASE}/docs"
    assert found.notices == ("i18n/it is not read: the site's configuration does not list that locale.",)


def test_translations_into_the_default_locale_stand_before_the_docs(tmp_path: Path) -> None:
    plant(tmp_path, {"docs/a.md": "", "README.md": ""})
    translated(tmp_path, "en/docusaurus-plugin-content-docs/current")
    assert [tree.folder for tree in layout(tmp_path).trees] == [
        "i18n/en/docusaurus-plugin-content-docs/current",
        "docs",
    ]


def test_the_caller_may_say_which_locale_is_the_default(tmp_path: Path) -> None:
    config = "x = {i18n: {defaultLocale: 'en', locales: ['en', 'fr']}}"
    plant(tmp_path, {"docusaurus.config.js": config, "docs/a.md": ""})
    translated(tmp_path, "fr/docusaurus-plugin-content-docs/current")
    found = layout(tmp_path, locale="fr")
    assert {tree.locale: (tree.address, tree.locale_is_default) for tree in found.trees} == {
        "en": (f"{BASE}/docs", False),
        "fr": (f"{BASE}/fr/docs", True),
    }
    with pytest.raises(ConfigurationError, match="no locale 'it'; it has en, fr"):
        layout(tmp_path, locale="it")


def test_the_callers_locale_names_the_only_one_of_a_site_that_does_not_say(tmp_path: Path) -> None:
    plant(tmp_path, {"docs/a.md": "", "README.md": ""})
    tree = layout(tmp_path, locale="ja").trees[0]
    assert (tree.locale, tree.locale_is_default, tree.address) == ("ja", True, f"{BASE}/docs")


# --- hostile -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"\xff\xfe", b"x" * 1_000_001, b"a\x00"])
def test_a_configuration_that_is_no_text_is_an_error_that_names_it(tmp_path: Path, content: bytes) -> None:
    plant(tmp_path, {"docusaurus.config.js": content, "docs/a.md": ""})
    with pytest.raises(SourceError, match=r"docusaurus\.config\.js"):
        layout(tmp_path)


def test_folders_outside_the_root_are_not_taken_for_docs(tmp_path: Path) -> None:
    plant(tmp_path, {"elsewhere/a.md": "", "root/README.md": ""})
    (tmp_path / "root/docs").symlink_to(tmp_path / "elsewhere")
    assert addresses(layout(tmp_path / "root")) == {"": BASE}


def test_a_path_that_the_configuration_computes_is_said_unless_the_base_url_has_one(tmp_path: Path) -> None:
    config = "export default {title: 'A', url: 'https://real.example', baseUrl: process.env.BASE || '/docs/'};"
    plant(tmp_path, {"docusaurus.config.js": config, "docs/a.md": ""})
    for base_url, times in ((None, 1), ("https://docs.example.org", 1), ("https://docs.example.org/x", 0)):
        notices = layout(tmp_path, base_url).notices
        assert sum("computes baseUrl" in notice for notice in notices) == times
