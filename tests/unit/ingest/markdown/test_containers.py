"""Admonitions, tabs and inclusions of Docusaurus, MkDocs and VitePress."""

import pytest
from tests.pages import mdx, mkdocs, read, text_of

FILES = {"inc.md": "## Inc\n\nIncluded.\n", "a.py": "one\ntwo\nthree\n"}


@pytest.mark.parametrize(
    ("opening", "label"),
    [
        (":::note", "Note:"),
        (":::note Title *x*", "Note: Title x"),
        (":::note[Title `x`]", "Note: Title `x`"),
        (":::note[Title]{.class #id}", "Note: Title"),
        (':::note{title="Title"}', "Note: Title"),
        ("::: warning Mind this", "Warning: Mind this"),
        (":::caution", "Caution:"),
    ],
)
def test_colons_open_an_admonition_with_kind_and_title(opening: str, label: str) -> None:
    for generator in ("docusaurus", None):
        assert text_of(f"{opening}\n\nBody.\n\n:::\n\nAfter.", generator) == f"{label}\nBody.\n\nAfter."


def test_admonitions_need_no_blank_lines_and_keep_lists_and_code() -> None:
    source = ":::tip\nBody.\n- item\n:::\n:::info\n```js\n:::\n```\n:::"
    assert mdx(source) == "Tip:\nBody.\n\n- item\n\nInfo:\n\n```js\n:::\n```"


def test_admonitions_nest_with_more_colons_or_with_as_many() -> None:
    for outer in ("::::", ":::"):
        source = f"{outer}danger[A]\n:::tip\ninner\n:::\nouter\n{outer}\nafter"
        assert mdx(source) == "Danger: A\nTip:\ninner\n\nouter\n\nafter"


def test_an_admonition_in_a_list_stays_in_it() -> None:
    assert mdx("1. a\n\n   :::note\n   b\n   :::\n\n2. c") == "1. a\n\n   Note:\n   b\n\n2. c"


def test_an_admonition_that_is_never_closed_ends_with_the_page() -> None:
    assert mdx(":::note\na\n\nb") == "Note:\na\n\nb"


def test_a_closing_mark_that_closes_nothing_is_left_away() -> None:
    assert mdx("a\n:::\nb") == "a\n\nb"


def test_an_admonition_with_a_title_alone_is_shown_and_an_empty_tab_is_not() -> None:
    assert mkdocs('!!! note "Read on"\n\nafter') == "Note: Read on\n\nafter"
    assert mkdocs('=== "Empty"\n\nafter') == "after"


def test_vitepress_groups_have_no_label_and_details_have_their_own_words() -> None:
    assert text_of("::: code-group\n```js [a.js]\nx\n```\n:::") == '```js title="a.js"\nx\n```'
    assert text_of("::: details Click *me*\nx\n:::") == "Click me\nx"


@pytest.mark.parametrize(
    ("opening", "label"),
    [
        ("!!! note", "Note:"),
        ('!!! note "Title *x*"', "Note: Title x"),
        ('!!! warning inline end "Title"', "Warning: Title"),
        ('!!! danger ""', "Danger:"),
        ("??? tip", "Tip:"),
        ('???+ example "Title"', "Example: Title"),
        ('=== "npm"', "npm:"),
        ('===! "npm"', "npm:"),
    ],
)
def test_an_indented_body_belongs_to_its_container(opening: str, label: str) -> None:
    assert mkdocs(f"{opening}\n    Body.\n\n    More.\n\nAfter.") == f"{label}\nBody.\n\nMore.\n\nAfter."


def test_indented_containers_nest_and_hold_code() -> None:
    source = (
        '!!! note\n    === "A"\n\n        ```py\n        if x:\n            y\n        ```\n\n    === "B"\n        b\n'
    )
    assert mkdocs(source) == "Note:\nA:\n\n```py\nif x:\n    y\n```\n\nB:\nb"


@pytest.mark.parametrize(
    ("opening", "label"),
    [
        ("/// note", "Note:"),
        ("/// note | Title `x`", "Note: Title `x`"),
        ("/// tab | Python 3.10+", "Python 3.10+:"),
        ("/// details | More", "More"),
        ("/// details | More\n    type: warning\n    open: true", "Warning: More"),
        ("/// admonition | Mind\n    type: danger", "Danger: Mind"),
        ("/// html | div.x", "div.x"),
    ],
)
def test_slashes_open_a_block_and_its_options_are_left_away(opening: str, label: str) -> None:
    assert mkdocs(f"{opening}\n\nBody.\n\n///\n\nAfter.") == f"{label}\nBody.\n\nAfter."


def test_slashes_are_closed_by_just_as_many() -> None:
    source = "//// tab | A\n\n/// note\n\ninner\n\n///\n\nouter\n\n////\n\n//// tab | B\n\nb\n\n////"
    assert mkdocs(source) == "A:\nNote:\ninner\n\nouter\n\nB:\nb"


def test_slashes_in_code_close_nothing() -> None:
    assert (
        mkdocs("/// note\n\n```rust\n/// doc\n///\n```\n\nafter\n\n///")
        == "Note:\n\n```rust\n/// doc\n///\n```\n\nafter"
    )


def test_an_identifier_keeps_its_name_and_loses_its_options() -> None:
    assert mkdocs("::: pkg.mod.__Class__\n    options:\n        members:\n            - a\n\nAfter.") == (
        "pkg.mod.__Class__\n\nAfter."
    )


@pytest.mark.parametrize("line", ['--8<-- "inc.md"', '-8<- "inc.md"', "{! inc.md !}", "--8<--\ninc.md\n--8<--"])
def test_a_snippet_is_put_where_it_is_named_and_its_headings_count(line: str) -> None:
    document = read(f"## Inc\n\n{line}\n\nAfter.", "mkdocs", includes=FILES)
    assert document.text == "## Inc\n\n## Inc\n\nIncluded.\n\nAfter."
    assert [section.anchor for section in document.sections] == ["inc", "inc_1"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{* a.py *}", "one\ntwo\nthree"),
        ("{* a.py hl[1,2] *}", "one\ntwo\nthree"),
        ("{* a.py ln[2:3] hl[2] *}", "two\nthree"),
        ("{* a.py ln[1,3] *}", "one\nthree"),
    ],
)
def test_a_code_include_is_a_fence_with_the_lines_it_asks_for(line: str, code: str) -> None:
    assert mkdocs(line, includes=FILES) == f"```python\n{code}\n```"


def test_files_that_are_missing_leave_nothing() -> None:
    source = 'a\n\n{* gone.py *}\n\n--8<-- "gone.md"\n\n```py\n{!> gone.py !}\n```\n\nb'
    assert mkdocs(source) == "a\n\nb"


def test_github_alerts_and_callouts_are_admonitions() -> None:
    assert text_of("> [!WARNING]\n> Be *careful*.\n>\n> - a") == "Warning:\nBe careful.\n\n- a"
    assert text_of("> [!note]- My title\n> Body.") == "Note: My title\nBody."
    assert text_of("> [x] no alert") == "> [x] no alert"
