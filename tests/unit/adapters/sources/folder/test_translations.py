"""Translations in plain folders: known by the same pages in another locale, and by nothing less."""

from pathlib import Path

import pytest
from tests.folders import folder, pages, paths, plant, read

from assay.errors import ConfigurationError

THREE = "a.md b/c.md b/d.md"
ENGLISH = "The name of the page and the text of it say the most of the language and of the country. " * 3
FRENCH = "Le nom de la page et le texte disent le plus sur la langue et sur le pays. " * 3


def planted(*folders: str, pages_of_each: str = THREE, text: str = "") -> dict[str, str]:
    """The same pages in several folders."""
    return {f"{name}/{page}".lstrip("/"): text for name in folders for page in pages_of_each.split()}


def locales(root: Path, **options: object) -> dict[str, str | None]:
    """The locale of each page by key, with `*` for those of the default locale."""
    found = pages(read(root, **options)).items()
    return {key: f"{page.locale or ''}{'*' if page.locale_is_default else ''}" for key, page in found}


def _by_top(found: dict[str, str | None], depth: int = 1) -> dict[str, set[str | None]]:
    tops: dict[str, set[str | None]] = {}
    for key, locale in found.items():
        tops.setdefault("/".join(key.split("/")[:-1][:depth]), set()).add(locale)
    return tops


ONE_LOCALE = {
    "packages of a monorepo": planted("packages/io", "packages/is", "packages/to", text=ENGLISH),
    "packages without prose": planted("io", "is", "to"),
    "packages with the usual files": planted(
        "packages/en", "packages/is", pages_of_each="README.md CHANGELOG.md CONTRIBUTING.md index.md LICENSE.md"
    ),
    "docs/io": planted("docs/io", "docs/net", "docs/fs"),
    "src/it": planted("src/it", "src/main", "src/test"),
    "a folder no": planted("no", "yes"),
    "folders of words": planted("so", "to", "id", "am", pages_of_each="x.md") | planted("docs"),
    "folders of words with other pages": {"to/a.md": "", "id/b.md": "", "en/c.md": "", "docs/d.md": ""},
    "fixtures deep below": planted("packages/core/fixtures/en", "packages/core/fixtures/fr"),
    "two pages only": planted("en", "fr", pages_of_each="a.md b.md"),
    "too few of the pages": planted("en", "fr")
    | {f"fr/{n}.md": "" for n in range(9)}
    | {f"en/x{n}.md": "" for n in range(9)},
    "countries in English": planted("policies/de", "policies/fr", "policies/it", text=ENGLISH),
    "countries without an original": planted("de", "fr", "it"),
    "countries beside an English original": planted("", "de", "fr", text=ENGLISH),
    "an English copy": planted("en", "no", text=ENGLISH),
    "one locale folder": planted("docs/en") | {"README.md": "", "docs/x.md": ""},
    "versions": planted("v1", "v2", "latest"),
    "only en": planted("en"),
    "names with dots": dict.fromkeys(["vue.js.md", "socket.io.md", "vue.md", "node.ts.md", "asp.net.md"], ""),
    "two pages with a suffix": dict.fromkeys(["a.md", "a.fr.md", "b.md", "b.fr.md"], ""),
    "a suffix without an original": dict.fromkeys(["a.fr.md", "b.fr.md", "c.fr.md", "d.md", "README.zh-CN.md"], ""),
    "hyphens in names": dict.fromkeys(
        ["how.md", "how-to.md", "a.md", "a-is.md", "b.md", "b-it.md", "c_no.md", "c.md"], ""
    ),
    "languages of programs": {
        f"{name}{suffix}.md": ENGLISH for name in ("hello", "loops", "types") for suffix in ("", ".cs", ".ml", ".pl")
    },
    "a README on Ocaml": {"README.md": ENGLISH, "README-ml.md": ENGLISH},
}


@pytest.mark.parametrize("files", ONE_LOCALE.values(), ids=ONE_LOCALE)
def test_a_name_alone_is_no_translation(tmp_path: Path, files: dict[str, str]) -> None:
    plant(tmp_path, files)
    assert set(locales(tmp_path).values()) == {"*"}
    assert not any("Translations" in line for line in folder(tmp_path).layout().information)


TRANSLATED: dict[str, tuple[dict[str, str], dict[str, str], int]] = {
    # name: files, locale by the folder of a page, depth of that folder
    "at the root": (planted("en", "fr", "pt-BR"), {"en": "en*", "fr": "fr", "pt-BR": "pt-BR"}, 1),
    "below docs": (planted("docs/en", "docs/fr"), {"docs/en": "en*", "docs/fr": "fr"}, 2),
    "below another folder": (
        planted("content/en-US", "content/zh_Hans"),
        {"content/en-US": "en-US*", "content/zh_Hans": "zh_Hans"},
        2,
    ),
    "with other pages": (
        planted("en", "it", "blog") | {"x.md": ""},
        {"en": "en*", "it": "it", "blog": "en*", "": "en*"},
        1,
    ),
    "beside the original": (planted("docs", "docs/fr"), {"docs": "*", "docs/b": "*", "docs/fr": "fr"}, 2),
    "beside the original at the root": (planted("", "no") | {"z.md": ENGLISH}, {"": "*", "b": "*", "no": "no"}, 1),
    "English beside the original": (planted("", "en"), {"": "*", "b": "*", "en": "en"}, 1),
    "a small one among others": (
        planted("en", "fr") | {"ja/a.md": ""} | {"io/other.md": ""},
        {"en": "en*", "fr": "fr", "ja": "ja", "io": "en*"},
        1,
    ),
    "text in French": (planted("en", text=ENGLISH) | planted("fr", text=FRENCH), {"en": "en*", "fr": "fr"}, 1),
    "one of them in English": (
        planted("en", "uk", text=ENGLISH) | planted("fr", text=FRENCH),
        {"en": "en*", "uk": "en*", "fr": "fr"},
        1,
    ),
    "half of the pages": (planted("en", "fr") | {"fr/x.md": "", "fr/y.md": ""}, {"en": "en*", "fr": "fr"}, 1),
    "translated names with permalinks": (
        {f"en/Page {n}.md": f"---\npermalink: p/{n}\n---\n" for n in range(3)}
        | {f"da/Side {n}.md": f"---\npermalink: '/da/p/{n}' # the same\n---\n" for n in range(3)},
        {"en": "en*", "da": "da"},
        1,
    ),
    "spelled in two ways": (
        planted("docs/en", "docs/zh-CN") | planted("help/en", "help/zh_cn"),
        {"docs/en": "en*", "docs/zh-CN": "zh-CN", "help/en": "en*", "help/zh_cn": "zh-CN"},
        2,
    ),
}


@pytest.mark.parametrize(("files", "expected", "depth"), TRANSLATED.values(), ids=TRANSLATED)
def test_folders_with_the_same_pages_are_translations(
    tmp_path: Path, files: dict[str, str], expected: dict[str, str], depth: int
) -> None:
    plant(tmp_path, files)
    assert _by_top(locales(tmp_path), depth) == {top: {locale} for top, locale in expected.items()}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("README.md README.zh-CN.md a.md", {"README.md": "*", "README.zh-CN.md": "zh-CN", "a.md": "*"}),
        ("README.md README_zh.md README-ja.md", {"README.md": "*", "README_zh.md": "zh", "README-ja.md": "ja"}),
        ("docs/readme.md docs/readme.de.md", {"docs/readme.md": "*", "docs/readme.de.md": "de"}),
        ("README.md README.en.md a.md", {"README.md": "*", "README.en.md": "en", "a.md": "*"}),
        ("README.en.md README.ja.md", {"README.en.md": "en*", "README.ja.md": "ja"}),
        ("README.de.md README.ja.md a.md b.md", {"README.de.md": "de", "README.ja.md": "ja", "a.md": "*", "b.md": "*"}),
        (
            "a.md a.fr.md b/a.md b/a.fr.md c.md c.fr.md d.fr.md",
            {
                "a.md": "*",
                "a.fr.md": "fr",
                "b/a.md": "*",
                "b/a.fr.md": "fr",
                "c.md": "*",
                "c.fr.md": "fr",
                "d.fr.md": "*",
            },
        ),
        ("README.md README.fr.md a.md a.fr.md", {"README.md": "*", "README.fr.md": "fr", "a.md": "*", "a.fr.md": "fr"}),
    ],
)
def test_suffixes_beside_the_same_page_are_translations(tmp_path: Path, names: str, expected: dict[str, str]) -> None:
    plant(tmp_path, dict.fromkeys(names.split(), ""))
    assert locales(tmp_path) == expected


def test_pages_keep_their_addresses_and_link_to_other_locales(tmp_path: Path) -> None:
    files = planted("en", "fr") | {"README.md": "", "README.fr.md": "", "fr/a.md": "[E](../en/a.md) [R](../README.md)"}
    plant(tmp_path, files)
    found = read(tmp_path)
    assert paths(found) == {
        "en/a.md": "/en/a", "en/b/c.md": "/en/b/c", "en/b/d.md": "/en/b/d", "README.md": "/",
        "fr/a.md": "/fr/a", "fr/b/c.md": "/fr/b/c", "fr/b/d.md": "/fr/b/d", "README.fr.md": "/README.fr",
    }  # fmt: skip
    links = pages(found)["fr/a.md"].links
    assert (links["en/a.md"], links["README.md"]) == ("https://docs.example.org/en/a", "https://docs.example.org/")


def test_each_page_comes_once(tmp_path: Path) -> None:
    plant(tmp_path, planted("en", "fr", "de") | {"fr/.hidden.md": "", "README.md": ""})
    keys = [item.key for item in read(tmp_path)]  # type: ignore[union-attr]  # no counts among them
    assert sorted(keys) == sorted(set(keys))
    assert len(keys) == 11


def test_the_default_locale_can_be_set(tmp_path: Path) -> None:
    plant(tmp_path, planted("en", "fr", "zh-CN") | {"x.md": ""})
    assert _by_top(locales(tmp_path, default_locale="zh_cn")) == {
        "en": {"en"}, "fr": {"fr"}, "zh-CN": {"zh-CN*"}, "": {"zh-CN*"},
    }  # fmt: skip


def test_a_set_locale_names_that_of_the_originals(tmp_path: Path) -> None:
    plant(tmp_path, {"README.md": "", "README.fr.md": "", "a.md": ""})
    assert locales(tmp_path, default_locale="en") == {"README.md": "en*", "README.fr.md": "fr", "a.md": "en*"}
    assert set(locales(tmp_path, default_locale="fr").values()) == {"fr*"}


def test_a_set_original_makes_translations_of_folders_without_english(tmp_path: Path) -> None:
    plant(tmp_path, planted("de", "fr"))
    assert _by_top(locales(tmp_path, default_locale="de")) == {"de": {"de*"}, "fr": {"fr"}}


def test_an_unknown_default_locale_is_an_error(tmp_path: Path) -> None:
    plant(tmp_path, planted("en", "fr") | {"x.md": ""})
    with pytest.raises(ConfigurationError, match="has no locale 'da'; it has en, fr"):
        read(tmp_path, name="handbook", default_locale="da")


def test_a_line_says_what_searches_read(tmp_path: Path) -> None:
    plant(tmp_path, planted("en", "fr", "da"))
    assert folder(tmp_path).layout().information[-1] == (
        "Translations: en (default), da, fr; searches read en unless they ask for another locale (--locale da)."
    )
    plant(tmp_path / "other", {"README.md": "", "README.fr.md": ""})
    assert folder(tmp_path / "other").layout().information[-1] == (
        "Translations: fr; searches read the pages without a locale in their path unless they ask for another locale "
        "(--locale fr). Name theirs with --default-locale."
    )


def test_translations_in_projects_of_other_generators_do_not_count(tmp_path: Path) -> None:
    plant(
        tmp_path, planted("site/en", "site/fr") | {f"{n}.md": "" for n in range(20)} | {"site/.vitepress/config.ts": ""}
    )
    assert {key: locale for key, locale in locales(tmp_path).items() if "/" in key or locale != "*"} == {}
    assert locales(tmp_path, convention="plain")["site/fr/a.md"] == "fr"


def test_a_single_file_has_no_translations(tmp_path: Path) -> None:
    plant(tmp_path, {"README.md": "", "README.fr.md": ""})
    assert locales(tmp_path / "README.fr.md") == {"README.fr.md": "*"}
