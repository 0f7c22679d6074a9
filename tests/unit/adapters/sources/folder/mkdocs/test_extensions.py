"""What the extensions of mkdocs.yml decide about text and anchors."""

import pytest

from assay.adapters.sources.folder.mkdocs.config import UNCONFIGURED, interpret_config, parse_config
from assay.model.documents import MkDocsRules

PLAIN = MkDocsRules(
    attribute_lists=False,
    macros=False,
    emoji="text",
    icons=False,
    footnotes=False,
    subscripts=False,
    superscripts=False,
    code_languages=False,
)


def rules(text: str) -> MkDocsRules:
    return interpret_config(parse_config(text)).rules


def changed(**values: object) -> MkDocsRules:
    return MkDocsRules(**{name: getattr(PLAIN, name) for name in MkDocsRules.__slots__} | values)  # type: ignore[arg-type]  # fields by name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("markdown_extensions: [attr_list]", {"attribute_lists": True}),
        ("markdown_extensions: {markdown.extensions.attr_list: null}", {"attribute_lists": True}),
        ("markdown_extensions: [pymdownx.extra]", {"attribute_lists": True, "footnotes": True}),
        ("plugins: [search, macros]", {"macros": True}),
        ("plugins: {macros: {}}", {"macros": True}),
        ("hooks: [hooks.py]", {"macros": True}),
        ("markdown_extensions: [smarty, pymdownx.smartsymbols]", {"smart_dashes": True, "smart_symbols": True}),
        ("markdown_extensions: [smarty: {smart_dashes: false}]", {}),
        ("markdown_extensions: [pymdownx.tilde, pymdownx.caret]", {"subscripts": True, "superscripts": True}),
        ("markdown_extensions: [pymdownx.critic, pymdownx.inlinehilite]", {"edits": True, "code_languages": True}),
        ("markdown_extensions: [pymdownx.tilde: {subscript: false}]", {}),
        ("markdown_extensions: [pymdownx.snippets: {dedent_subsections: true}]", {"dedent_snippets": True}),
        ("markdown_extensions: [pymdownx.emoji]", {"emoji": "image"}),
        (
            "markdown_extensions: [pymdownx.emoji: {emoji_generator: !!python/name:pymdownx.emoji.to_alt }]",
            {"emoji": "character"},
        ),
        (
            "markdown_extensions: [pymdownx.emoji: {emoji_index: !!python/name:material.extensions.emoji.twemoji }]",
            {"emoji": "image", "icons": True},
        ),
        ('markdown_extensions: [toc: {separator: "_", permalink: true, toc_depth: 2}]', {"separator": "_"}),
    ],
)
def test_only_the_extensions_that_are_on_have_an_effect(text: str, expected: dict[str, object]) -> None:
    assert rules(text) == changed(**expected)


@pytest.mark.parametrize(
    ("slugify", "expected"),
    [
        ("!!python/name:markdown.extensions.toc.slugify", {}),
        ("!!python/name:markdown.extensions.toc.slugify_unicode", {"slug": "unicode"}),
        ("!!python/object/apply:pymdownx.slugs.slugify {}", {"slug": "pymdownx"}),
        (
            "!!python/object/apply:pymdownx.slugs.slugify {kwds: {case: fold, percent_encode: true, normalize: NFD}}",
            {"slug": "pymdownx", "case": "fold", "percent_encode": True, "normalization": "NFD"},
        ),
        ("!!python/name:pymdownx.slugs.uslugify", {"slug": "pymdownx", "case": "lower"}),
        ("!!python/name:pymdownx.slugs.gfm", {"slug": "pymdownx", "case": "lower-ascii"}),
    ],
)
def test_the_functions_that_make_anchors_are_known(slugify: str, expected: dict[str, object]) -> None:
    text = f"markdown_extensions:\n  - toc:\n      slugify: {slugify}"
    assert rules(text) == changed(**expected)
    assert interpret_config(parse_config(text)).notices == ()


@pytest.mark.parametrize("slugify", ["!!python/name:mine.slugify", "mine.slugify"])
def test_another_function_is_said_with_the_way_out(slugify: str) -> None:
    (notice,) = interpret_config(parse_config(f"markdown_extensions: [toc: {{slugify: {slugify} }}]")).notices
    assert "mine.slugify" in notice
    assert "publish `site/`" in notice


def test_without_a_configuration_the_usual_extensions_are_on() -> None:
    assert UNCONFIGURED.rules == MkDocsRules()
