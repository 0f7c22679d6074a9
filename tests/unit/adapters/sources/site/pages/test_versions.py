"""Which version and locale each page is of, and which of them a reader meets by default."""

import pytest

from assay.adapters.sources.site.options import DefaultVariant
from assay.adapters.sources.site.pages.releases import SiteReleases
from assay.adapters.sources.site.pages.site_pages import SitePage
from assay.adapters.sources.site.pages.variant_names import version_rank
from assay.adapters.sources.site.pages.versions import assign_variants
from assay.errors import ConfigurationError

ORIGIN = "https://x.org"


def member(path: str, **facts: str) -> SitePage:
    given = {
        "declared_version": "", "version_group": "", "declared_locale": "", "lang": "", "alternate_language": "",
        "default_language": "",
    } | facts  # fmt: skip
    return SitePage(
        key=ORIGIN + path,
        address=ORIGIN + path,
        listed=True,
        canonical="",
        noindex=False,
        fingerprint=path,
        skeleton="",
        titles="",
        **given,
    )


def assigned(pages: list[SitePage], *, version: str | None = None, locale: str | None = None) -> dict[str, SitePage]:
    assign_variants(pages, DefaultVariant(version, locale), "site", ORIGIN + "/", SiteReleases({}, {}, ("", "")))
    return {page.key.removeprefix(ORIGIN): page for page in pages}


def versions(found: dict[str, SitePage]) -> dict[str, tuple[str | None, bool]]:
    return {path: (page.version, page.version_is_current) for path, page in found.items()}


def locales(found: dict[str, SitePage]) -> dict[str, tuple[str | None, bool]]:
    return {path: (page.locale, page.locale_is_default) for path, page in found.items()}


# --- versions ---


def test_of_docusaurus_the_version_without_a_segment_is_current_and_what_is_coming_is_called_next() -> None:
    found = assigned(
        [
            member("/docs/a", declared_version="2.0", version_group="default"),
            member("/docs/1.0/a", declared_version="1.0", version_group="default"),
            member("/docs/next/a", declared_version="current", version_group="default"),
            member("/blog/a"),
        ]
    )
    assert versions(found) == {
        "/docs/a": ("2.0", True),
        "/docs/1.0/a": ("1.0", False),
        "/docs/next/a": ("next", False),
        "/blog/a": (None, True),
    }


def test_each_docs_plugin_has_a_current_version_of_its_own() -> None:
    found = assigned(
        [
            member("/docs/a", declared_version="current", version_group="default"),
            member("/api/a", declared_version="3", version_group="api"),
            member("/api/2/a", declared_version="2", version_group="api"),
        ]
    )
    assert versions(found) == {"/docs/a": ("current", True), "/api/a": ("3", True), "/api/2/a": ("2", False)}


@pytest.mark.parametrize(
    ("names", "current"),
    [
        (["1.9", "1.10", "next"], "1.10"),
        (["latest", "stable", "2.0"], "stable"),
        (["latest", "3.0", "dev"], "latest"),
        (["main"], "main"),
        (["dev", "main", "0.1"], "0.1"),
        (["v2.0", "v3.0-beta"], "v2.0"),
        (["2.x", "1.x"], "2.x"),
    ],
)
def test_of_versions_in_the_path_stable_comes_first_then_latest_then_the_highest(
    names: list[str], current: str
) -> None:
    found = assigned([member(f"/en/{name}/{page}", lang="en") for name in names for page in ("a", "b")])
    if len(names) > 1:
        expected = {f"/en/{name}/{page}": (name, name == current) for name in names for page in ("a", "b")}
        assert versions(found) == expected
    assert max(names, key=version_rank) == current


def test_pages_without_a_version_are_current_where_others_of_them_have_one() -> None:
    found = assigned([member("/a"), member("/b"), member("/2.0/a"), member("/2.0/b"), member("/2.0/old")])
    assert versions(found) == {
        "/a": (None, True),
        "/b": (None, True),
        "/2.0/a": ("2.0", False),
        "/2.0/b": ("2.0", False),
        "/2.0/old": ("2.0", False),
    }


def test_a_translation_that_is_there_once_takes_the_current_version_from_no_other() -> None:
    pages = [member(f"/{version}/{name}", lang="en") for version in ("2.0", "latest") for name in ("a", "b")]
    pages += [member(f"/de/{name}", lang="de") for name in ("a", "b")]
    found = assigned(pages, locale="en")
    assert versions(found)["/latest/a"] == ("latest", True)
    assert versions(found)["/2.0/a"] == ("2.0", False)
    assert versions(found)["/de/a"] == (None, True)
    chosen = assigned(pages, version="2.0", locale="en")
    assert (versions(chosen)["/2.0/a"], versions(chosen)["/de/a"]) == (("2.0", True), (None, True))


def test_a_landing_page_beside_versions_is_no_version() -> None:
    found = assigned([member("/"), member("/latest/a"), member("/latest/b"), member("/1.0/a")])
    assert versions(found) == {
        "/": (None, True),
        "/latest/a": ("latest", True),
        "/latest/b": ("latest", True),
        "/1.0/a": ("1.0", False),
    }


@pytest.mark.parametrize(
    "paths",
    [
        ["/guide/dev/setup", "/guide/use"],
        ["/blog/2024/post", "/blog/2025/other"],
        ["/tutorial/1/begin", "/tutorial/2/go-on"],
        ["/docs/main/entry", "/docs/edge/cases"],
        ["/changes/2.0", "/changes/1.0"],
    ],
)
def test_what_only_looks_like_a_version_is_none(paths: list[str]) -> None:
    assert all(version == (None, True) for version in versions(assigned([member(path) for path in paths])).values())


def test_a_setting_chooses_the_current_version() -> None:
    pages = [member("/latest/a"), member("/1.0/a"), member("/1.0/b")]
    assert versions(assigned(pages, version="1.0")) == {
        "/latest/a": ("latest", False),
        "/1.0/a": ("1.0", True),
        "/1.0/b": ("1.0", True),
    }


@pytest.mark.parametrize("said", ["", "2.0"])
def test_an_unknown_version_is_refused_with_those_there_are(said: str) -> None:
    pages = [member("/2.0/a", declared_version=said), member("/1.0/a", declared_version=said and "1.0")]
    with pytest.raises(ConfigurationError, match=r"no version '9'; it has 1\.0, 2\.0"):
        assigned(pages, version="9")


# --- locales ---


def test_the_x_default_locale_is_the_default() -> None:
    found = assigned(
        [
            member("/a", alternate_language="de", default_language="en"),
            member("/en/a", alternate_language="en", default_language="en"),
        ]
    )
    assert locales(found) == {"/a": ("de", False), "/en/a": ("en", True)}


def test_else_pages_without_a_locale_in_their_path_are_the_default() -> None:
    found = assigned([member("/a", lang="de"), member("/fr/a", lang="fr"), member("/fr/b", lang="fr")])
    assert locales(found) == {"/a": ("de", True), "/fr/a": ("fr", False), "/fr/b": ("fr", False)}


def test_else_that_of_the_start_page_and_else_english() -> None:
    pages = [member("/", lang="fr"), member("/en/a", lang="en"), member("/fr/a", lang="fr")]
    assert locales(assigned(pages))["/fr/a"] == ("fr", True)
    pages = [member("/en/a", lang="en"), member("/fr/a", lang="fr"), member("/fr/b", lang="fr")]
    assert locales(assigned(pages))["/en/a"] == ("en", True)


def test_a_segment_is_a_locale_where_the_page_says_so_or_another_one_has_the_page() -> None:
    found = assigned(
        [member("/docs/en/a", lang="en"), member("/docs/pt-BR/a", lang="en"), member("/docs/is/b", lang="en")]
    )
    assert locales(found) == {
        "/docs/en/a": ("en", True),
        "/docs/pt-BR/a": ("pt-BR", False),
        "/docs/is/b": ("en", True),
    }


def test_a_template_that_says_one_language_everywhere_makes_one_locale() -> None:
    found = assigned([member("/a", lang="en"), member("/b", lang="en-US"), member("/c")])
    assert all(default for _, default in locales(found).values())


def test_a_setting_chooses_the_default_locale_and_an_unknown_one_is_refused() -> None:
    pages = [member("/a", lang="en"), member("/fr/a", lang="fr")]
    assert locales(assigned(pages, locale="fr")) == {"/a": ("en", False), "/fr/a": ("fr", True)}
    with pytest.raises(ConfigurationError, match="no locale 'xx'; it has en, fr"):
        assigned(pages, locale="xx")


def test_versions_and_locales_in_one_path_are_told_apart() -> None:
    paths = ["/en/latest/a", "/fr/latest/a", "/en/2.0/a", "/fr/2.0/a"]
    found = assigned([member(path, lang=path[1:3]) for path in paths])
    assert versions(found) == {path: (path.split("/")[2], "latest" in path) for path in paths}
    assert locales(found) == {path: (path[1:3], path.startswith("/en")) for path in paths}
