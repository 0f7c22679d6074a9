"""Heading anchors of Docusaurus, GitHub and Python-Markdown."""

import pytest

from assay.ingest.markdown.anchors import GithubAnchors, TocAnchors, attribute_list_id, braced_id, github_slug


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Getting Started", "getting-started"),
        ("createSlice.actions()", "createsliceactions"),
        ("snake_case and kebab-case", "snake_case-and-kebab-case"),
        ("C++ & C#", "c--c"),
        ("What's new?", "whats-new"),
        ("Überschrift — zwei", "überschrift--zwei"),
        ("中文 标题", "中文-标题"),
        ("العربية", "العربية"),
        ("🎉 Release 2.0", "-release-20"),
        ("⚠️ Warning", "️-warning"),  # the variation selector is a mark, and marks are kept
        ("a\tb\u00a0c", "abc"),
        ("Ⓐ x", "ⓐ-x"),
        ("İstanbul", "i̇stanbul"),
        ("", ""),
    ],
)
def test_slugs_are_those_of_github_slugger(text: str, slug: str) -> None:
    assert github_slug(text) == slug


def test_equal_headings_are_numbered_from_one() -> None:
    anchors = GithubAnchors(title_has_anchor=True)
    assert [anchors.anchor("Setup", 2, None) for _ in range(3)] == ["setup", "setup-1", "setup-2"]


def test_a_number_that_another_heading_has_is_passed_over() -> None:
    anchors = GithubAnchors(title_has_anchor=True)
    assert [anchors.anchor(text, 2, None) for text in ("a", "a 1", "a", "a")] == ["a", "a-1", "a-2", "a-3"]


def test_an_explicit_id_takes_no_part_in_the_numbering() -> None:
    anchors = GithubAnchors(title_has_anchor=True)
    assert [anchors.anchor("Setup", 2, given) for given in ("setup", None, None)] == ["setup", "setup", "setup-1"]


def test_docusaurus_counts_the_title_but_gives_it_no_anchor() -> None:
    anchors = GithubAnchors(title_has_anchor=False)
    assert [anchors.anchor("Setup", level, None) for level in (1, 2)] == [None, "setup-1"]


def test_a_heading_of_signs_alone_has_no_anchor() -> None:
    assert GithubAnchors(title_has_anchor=True).anchor("???", 2, None) is None


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Section name!", "section-name"),
        ("Ünïcode — Hëading", "unicode-heading"),
        ("a_b - c", "a_b-c"),
        ("  spaced   out ", "spaced-out"),
        ("中文", "_1"),  # nothing is left of it, and ids are never empty
    ],
)
def test_toc_slugs_are_those_of_python_markdown(text: str, slug: str) -> None:
    assert TocAnchors(set()).anchor(text, 2, None) == slug


def test_toc_numbers_equal_headings_with_underscores_and_never_takes_an_explicit_id() -> None:
    anchors = TocAnchors({"setup_1"})
    assert [anchors.anchor("Setup", 2, None) for _ in range(3)] == ["setup", "setup_2", "setup_3"]
    assert anchors.anchor("Other", 2, "setup_1") == "setup_1"


def test_toc_gives_the_title_an_anchor() -> None:
    assert TocAnchors(set()).anchor("Title", 1, None) == "title"


def test_a_thousand_equal_headings_are_numbered_without_counting_again_from_one() -> None:
    anchors = TocAnchors(set())
    assert [anchors.anchor("a", 2, None) for _ in range(1000)][-1] == "a_999"


@pytest.mark.parametrize(
    ("written", "text", "given"),
    [
        ("Title {#my-id}", "Title", "my-id"),
        ("Title {#Mixed.Case_id}", "Title", "Mixed.Case_id"),
        ("Title {/* #my-id */}", "Title", "my-id"),
        ("Title {#a} more", "Title {#a} more", None),
        ("Title {x}", "Title {x}", None),
        ("Title", "Title", None),
    ],
)
def test_an_id_in_braces_ends_a_heading_of_docusaurus(written: str, text: str, given: str | None) -> None:
    assert braced_id(written) == (text, given)


@pytest.mark.parametrize(
    ("written", "text", "given"),
    [
        ("Title { #my-id }", "Title", "my-id"),
        ("Title {: #my-id .wide }", "Title", "my-id"),
        ("Title { .wide #my-id data-toc='x' }", "Title", "my-id"),
        ("Title { .wide }", "Title", None),
        ("Title {x}", "Title", None),
        ("Title{#x}", "Title{#x}", None),
        ("Title { #x } more", "Title { #x } more", None),
        ("Title {#x} {#y}", "Title {#x} {#y}", None),
        ("Title {{ x }}", "Title {{ x }}", None),
        ("Title {#x #y}", "Title", "y"),
        ("Title { id=x.y:z }", "Title", "x.y:z"),
        ("Title # { #x }", "Title", "x"),
        ("Title `{#x}`", "Title `{#x}`", None),
    ],
)
def test_an_attribute_list_ends_a_heading_of_mkdocs(written: str, text: str, given: str | None) -> None:
    assert attribute_list_id(written) == (text, given)
