"""An MkDocs configuration is read without importing what it names."""

import pytest

from assay.adapters.sources.folder.mkdocs.config import (
    MkDocsConfig,
    inherit,
    interpret_config,
    is_excluded,
    parse_config,
    path_patterns,
)
from assay.errors import InputError


def config(text: str) -> MkDocsConfig:
    return interpret_config(parse_config(text))


def test_tags_that_would_run_code_are_skipped() -> None:
    text = """
site_name: A
site_url: !ENV [SITE_URL, "https://a.example/"]
markdown_extensions:
  - toc
  - pymdownx.emoji: {emoji_index: !!python/name:material.extensions.emoji.twemoji }
  - pymdownx.snippets: {base_path: [!relative $config_dir, includes]}
"""
    assert config(text).site_url == "https://a.example/"
    assert config(text).snippet_paths == ("includes",)


def test_settings_decide_urls() -> None:
    read = config("docs_dir: manual\nuse_directory_urls: false\nsite_url: https://a.example")
    assert (read.docs_dir, read.directory_urls, read.site_url) == ("manual", False, "https://a.example")


@pytest.mark.parametrize(
    "text", ["", "site_name: x", "docs_dir: 3\nuse_directory_urls: maybe\nplugins: 7\nexclude_docs: [a]"]
)
def test_what_is_missing_or_of_the_wrong_type_is_the_default(text: str) -> None:
    read = config(text)
    assert (read.docs_dir, read.directory_urls, read.site_url, read.locales) == ("docs", True, None, ())


@pytest.mark.parametrize("text", ["- a", "just text", "a: b: c"])
def test_what_is_no_mapping_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(InputError, match=r"^line 1: "):
        parse_config(text)


def test_inheriting_merges_mappings_and_replaces_the_rest() -> None:
    parent = {"site_url": "https://a.example", "theme": {"name": "x", "font": "y"}, "plugins": ["a"]}
    child = {"theme": {"name": "z"}, "plugins": ["b"]}
    assert inherit(parent, child) == {
        "site_url": "https://a.example",
        "theme": {"name": "z", "font": "y"},
        "plugins": ["b"],
    }
    assert parent["theme"] == {"name": "x", "font": "y"}


@pytest.mark.parametrize(
    ("plugins", "expected"),
    [
        ("[search]", ((), None, "")),
        (
            "{i18n: {docs_structure: folder, languages: [{locale: en,default: true}, {locale: fr}, {locale: 'null'}]}}",
            (("en", "fr"), "en", "folder"),
        ),
        ("[{i18n: {languages: [{locale: de, default: true}, {locale: fr, build: false}]}}]", (("de",), "de", "suffix")),
        ("{i18n: {default_language: en, languages: {en: English, fr: Français}}}", (("en", "fr"), "en", "suffix")),
        ("[i18n]", ((), None, "suffix")),
    ],
)
def test_languages_are_those_of_the_i18n_plugin(
    plugins: str, expected: tuple[tuple[str, ...], str | None, str]
) -> None:
    read = config(f"plugins: {plugins}")
    assert (read.locales, read.default_locale, read.structure) == expected


PATTERNS = path_patterns("# drafts\ndrafts/\n*.tmp.md\n/top.md\na/**/z.md\nfoo/**\n!foo/keep.md\n\\!odd.md\n?.md\n")


@pytest.mark.parametrize(
    "path",
    [
        "drafts/x.md",
        "a/drafts/b/y.md",
        "q/x.tmp.md",
        "top.md",
        "a/z.md",
        "a/b/c/z.md",
        "foo/a/b.md",
        "!odd.md",
        "q/x.md",
    ],
)
def test_a_path_that_a_pattern_matches_is_left_out(path: str) -> None:
    assert is_excluded(path, PATTERNS)


@pytest.mark.parametrize("path", ["drafts.md", "a/top.md", "foo/keep.md", "foo.md", "x/foo/aa.md", "b/zz.md", "drafts"])
def test_other_paths_are_not(path: str) -> None:
    assert not is_excluded(path, PATTERNS)


def test_the_last_pattern_that_matches_decides() -> None:
    assert is_excluded("a/b.md", path_patterns("a/\n!a/b.md\n*.md"))
    assert not is_excluded("a/b.md", path_patterns("*.md\n!b.md"))


def test_templates_are_left_out_by_default_and_can_be_taken_back() -> None:
    assert is_excluded("templates/x.md", config("").exclude_patterns)
    assert not is_excluded("a/templates/x.md", config("").exclude_patterns)
    assert not is_excluded("templates/x.md", config("exclude_docs: '!/templates/'").exclude_patterns)


def test_drafts_are_left_out_too() -> None:
    read = config("exclude_docs: |\n  internal/\ndraft_docs: |\n  *.draft.md\n")
    assert is_excluded("internal/x.md", read.exclude_patterns)
    assert is_excluded("a/x.draft.md", read.exclude_patterns)
    assert not is_excluded("a/x.md", read.exclude_patterns)


def test_a_pattern_made_to_be_slow_is_not() -> None:
    assert not is_excluded("/".join(["a" * 100] * 40), path_patterns("**/" * 30 + "*a*a*a*a*a*a*a*a*b"))
