"""The rules for text and anchors of pages, from the Markdown extensions and plugins of mkdocs.yml."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal

from assay.adapters.sources.folder.bounded_yaml import PythonName
from assay.model.documents import MkDocsRules

_ATTRIBUTE_LISTS = ("attr_list", "extra", "pymdownx.extra")
_FOOTNOTES = ("footnotes", "extra", "pymdownx.extra")
_EMOJI = ("pymdownx.emoji", "materialx.emoji")
_TEMPLATE_PLUGINS = frozenset({"macros", "markdownextradata", "table-reader", "jinja2", "variables", "render_swagger"})
"""Plugins that replace `{{ }}` or `{% %}` in pages."""

_NORMALIZATIONS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")

_OLD_SLUGS = {
    "uslugify": ("lower", False),
    "uslugify_encoded": ("lower", True),
    "uslugify_cased": ("none", False),
    "uslugify_cased_encoded": ("none", True),
    "gfm": ("lower-ascii", False),
    "gfm_encoded": ("lower-ascii", True),
}
"""Functions of earlier versions of pymdownx.slugs: their case, and whether they encode."""


def entries(listed: object) -> Iterator[tuple[str, Mapping[str, object]]]:
    """The names and options of a list or a mapping of extensions or plugins, in order."""
    for entry in listed if isinstance(listed, list) else [listed]:
        for name, options in (entry if isinstance(entry, Mapping) else {entry: None}).items():
            if isinstance(name, str):
                yield name, options if isinstance(options, Mapping) else {}


def markdown_rules(settings: Mapping[str, object], notices: list[str]) -> MkDocsRules:
    """The rules of a configuration. A slug function that is not known adds a notice."""
    extensions = {
        name.removeprefix("markdown.extensions."): options
        for name, options in entries(settings.get("markdown_extensions"))
    }
    plugins = {name.rpartition("/")[2] for name, _ in entries(settings.get("plugins"))}
    rules = MkDocsRules(
        attribute_lists=any(name in extensions for name in _ATTRIBUTE_LISTS),
        macros=bool(plugins & _TEMPLATE_PLUGINS) or bool(settings.get("hooks")),
        emoji="text",
        icons=False,
        footnotes=any(name in extensions for name in _FOOTNOTES),
        subscripts=_is_on(extensions, "pymdownx.tilde", "subscript"),
        superscripts=_is_on(extensions, "pymdownx.caret", "superscript"),
        edits="pymdownx.critic" in extensions,
        code_languages="pymdownx.inlinehilite" in extensions,
        smart_dashes=_is_on(extensions, "smarty", "smart_dashes"),
        smart_symbols="pymdownx.smartsymbols" in extensions,
        dedent_snippets=extensions.get("pymdownx.snippets", {}).get("dedent_subsections") is True,
    )
    for name in _EMOJI:
        if name in extensions:
            generator = extensions[name].get("emoji_generator")
            shows_character = isinstance(generator, PythonName) and generator.name.endswith(".to_alt")
            index = extensions[name].get("emoji_index")
            has_icons = isinstance(index, PythonName) and index.name.startswith("material")
            rules = replace(rules, emoji="character" if shows_character else "image", icons=has_icons)
    toc = extensions.get("toc", {})
    separator = toc.get("separator")
    rules = replace(rules, separator=separator if isinstance(separator, str) else "-")
    return _with_slug(rules, toc.get("slugify"), notices)


def _is_on(extensions: Mapping[str, Mapping[str, object]], name: str, option: str) -> bool:
    return name in extensions and extensions[name].get(option) is not False


def _with_slug(rules: MkDocsRules, function: object, notices: list[str]) -> MkDocsRules:
    if function is None:
        return rules
    module, _, name = function.name.rpartition(".") if isinstance(function, PythonName) else ("", "", "")
    if module == "markdown.extensions.toc" and name in {"slugify", "slugify_unicode"}:
        return replace(rules, slug="unicode" if name == "slugify_unicode" else "ascii")
    if module == "pymdownx.slugs" and isinstance(function, PythonName) and name == "slugify":
        given = function.keywords
        normalization: Literal["NFC", "NFD", "NFKC", "NFKD"] = next(
            (form for form in _NORMALIZATIONS if form == given.get("normalize")), "NFC"
        )
        return replace(
            rules,
            slug="pymdownx",
            case=str(given.get("case", "none")),
            percent_encode=given.get("percent_encode") is True,
            normalization=normalization,
        )
    if module == "pymdownx.slugs" and name in _OLD_SLUGS:
        case, percent_encode = _OLD_SLUGS[name]
        return replace(rules, slug="pymdownx", case=case, percent_encode=percent_encode)
    named = function.name if isinstance(function, PythonName) else function
    notices.append(
        f"The slugify function {named} of the toc extension in mkdocs.yml is not known, so links to sections may be "
        "wrong. Build the site with `mkdocs build` and publish `site/` instead."
    )
    return rules
