"""Facet filters of DocSearch clients over corpora with and without versions and locales."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.rankings import chunk_of

from assay.contracts.docsearch.filters import PageOf, to_filters
from assay.errors import InputError
from assay.model.documents import DocumentInfo
from assay.model.ranking import Filters

PAGE = chunk_of("Nodes talk.").document


def page(version: str | None, locale: str | None, *, current: bool = True, default: bool = True) -> DocumentInfo:
    return replace(PAGE, version=version, locale=locale, version_is_current=current, locale_is_default=default)


def corpus(*pages: DocumentInfo) -> PageOf:
    """Looks a page up as an index does."""

    def page_of(filters: Filters) -> DocumentInfo | None:
        def matches(one: DocumentInfo) -> bool:
            version = (
                one.version in filters.versions or (filters.include_unversioned and one.version is None)
                if filters.versions
                else filters.everything or one.version_is_current
            )
            locale = one.locale in filters.locales if filters.locales else filters.everything or one.locale_is_default
            return version and locale

        return next(filter(matches, pages), None)

    return page_of


PLAIN = corpus(page(None, None))
DOCUSAURUS = corpus(
    page(None, "en"),
    page("2.0", "en"),
    page("2.0", "fr", default=False),
    page("next", "en", current=False),
    page("1.0-beta", "en", current=False),
)
ENGLISH = ["language:en"]


def versions(*names: str) -> Filters:
    """These versions and pages without one."""
    return Filters(versions=names, include_unversioned=True)


def tags(*versions: str) -> list[str]:
    return ["docusaurus_tag:default", *(f"docusaurus_tag:docs-{version}" for version in versions)]


@pytest.mark.parametrize(
    ("clauses", "filters"),
    [
        pytest.param([], Filters(), id="none"),
        pytest.param([ENGLISH, tags("default-2.0")], Filters(), id="the current version in the default locale"),
        pytest.param([["language:fr"], tags("default-2.0")], Filters(locales=("fr",)), id="another locale"),
        pytest.param([ENGLISH, tags("default-current")], versions("next"), id="unreleased"),
        pytest.param([ENGLISH, tags("default-1.0-beta")], versions("1.0-beta"), id="a hyphen in a version"),
        pytest.param([tags("my-docs-1.0-beta")], versions("1.0-beta"), id="a hyphen in a plugin"),
        pytest.param([tags("default-1.0-beta")[1:]], Filters(versions=("1.0-beta",)), id="without the tag default"),
        pytest.param([tags()], Filters(), id="only pages outside of docs"),
        pytest.param([tags("default-1.0-beta", "api-current")], versions("1.0-beta", "next"), id="two docs plugins"),
        pytest.param([tags("default-1.0-beta", "default-2.0")], versions("1.0-beta", "2.0"), id="two versions"),
        pytest.param(
            [tags("default-1.0-beta"), ["version:1.0-beta"]], Filters(versions=("1.0-beta",)), id="a version of them"
        ),
        pytest.param([tags("default-1.0-beta"), tags("default-2.0")], versions(""), id="only pages without a version"),
        pytest.param([tags("default-1.0-beta"), tags("default-next")], versions(""), id="no version is in both"),
        pytest.param([tags("default-3.0")], versions("docs-default-3.0"), id="a version that no page has"),
        pytest.param([tags("default-2.0", "blog-current-x")], Filters(), id="a plugin that the index lacks"),
        pytest.param([["version:1.0-beta", "version:2.0"]], Filters(versions=("1.0-beta", "2.0")), id="any of two"),
        pytest.param([["version:2.0"], tags("default-2.0")], Filters(versions=("2.0",)), id="the same version twice"),
        pytest.param([["version:latest"]], Filters(), id="a name for the current version"),
        pytest.param([["lang:en-US"]], Filters(), id="a region of the default language"),
        pytest.param([["source:handbook"]], Filters(sources=("handbook",)), id="a source"),
        pytest.param([[]], Filters(), id="an empty clause"),
    ],
)
def test_filters_of_a_site_with_versions_and_locales(clauses: list[list[str]], filters: Filters) -> None:
    assert to_filters(clauses, DOCUSAURUS, lambda: True) == filters


@pytest.mark.parametrize(
    "clauses",
    [
        [ENGLISH, tags("default-current")],
        [["language:de"]],
        [["lang:en-US"], ["version:latest"]],
        [["version:3.0"]],
        [tags("default-3.0")],
    ],
)
def test_filters_of_a_site_with_one_version_and_one_locale_change_nothing(clauses: list[list[str]]) -> None:
    assert to_filters(clauses, PLAIN, lambda: False) == Filters()


@pytest.mark.parametrize(
    ("clauses", "filters"),
    [
        ([["language:de"]], Filters(locales=("de",))),
        ([["version:3.0"]], Filters(versions=("3.0",))),
        ([tags("default-3.0")[1:]], Filters(versions=("docs-default-3.0",))),
    ],
)
def test_a_version_or_locale_that_no_page_has_finds_nothing(clauses: list[list[str]], filters: Filters) -> None:
    found = to_filters(clauses, DOCUSAURUS, lambda: True)
    assert found == filters
    assert DOCUSAURUS(filters) is None


@pytest.mark.parametrize(
    "clauses",
    [
        [["version:2.0"], ["version:1.0-beta"]],
        [["version:1.0-beta"], tags("default-2.0")],
        [["source:a"], ["source:b"]],
        [["language:fr"], ["language:en"]],
    ],
)
def test_clauses_that_exclude_each_other_match_no_page(clauses: list[list[str]]) -> None:
    assert to_filters(clauses, DOCUSAURUS, lambda: True) is None


def test_docs_with_one_version_are_pages_without_a_version() -> None:
    two_plugins = corpus(page(None, "en"), page("2.0", "en"), page("1.0", "en", current=False))
    assert to_filters([tags("default-1.0", "community-current")[1:]], two_plugins, lambda: True) == versions("1.0")


@pytest.mark.parametrize(
    "clause",
    [["tags:guide"], ["language"], ["language:"], ["language:-en"], ["-language:en"], ["language:en", "version:2.0"]],
)
def test_clauses_without_a_filter_are_refused(clause: Sequence[str]) -> None:
    with pytest.raises(InputError, match=r"^facetFilters: "):
        to_filters([clause], DOCUSAURUS, lambda: True)
