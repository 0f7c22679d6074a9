"""Front matter comes off, and only front matter."""

import pytest

from assay.adapters.sources.folder.front_matter import (
    FrontMatter,
    is_true,
    page_tags,
    page_title,
    split_front_matter,
    split_mkdocs_front_matter,
)
from assay.errors import InputError


@pytest.mark.parametrize(
    ("text", "values", "content", "first_line"),
    [
        ("---\ntitle: A\n---\nText\n", {"title": "A"}, "Text\n", 4),
        ("---\ntitle: A\n---", {"title": "A"}, "", 3),
        ("---\ntitle: A\n...\nText", {"title": "A"}, "Text", 4),
        ("---  \ntitle: A\n---\t\n\nText", {"title": "A"}, "\nText", 4),
        ("---\n---\nText", {}, "Text", 3),
        ("---\n\n# only a comment\n---\nText", {}, "Text", 5),
        ("---\na: |\n  x\n  --- y\n---\nText", {"a": "x\n--- y\n"}, "Text", 6),
    ],
)
def test_a_block_is_taken_off(text: str, values: dict[str, object], content: str, first_line: int) -> None:
    front = split_front_matter(text)
    assert (front.values, front.content, front.first_line) == (values, content, first_line)
    assert text.split("\n")[first_line - 1 :] == content.split("\n") or content == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Text",
        "---",
        "---\n",
        "---\ntitle: A\n",
        "----\ntitle: A\n----\n",
        "--- x\na: b\n---\n",
        "\n---\na: b\n---\n",
    ],
)
def test_a_text_without_a_block_stays_whole(text: str) -> None:
    assert split_front_matter(text, required=True) == FrontMatter({}, text, 1)


@pytest.mark.parametrize("block", ["- a\n- b", "Just a sentence.", "2024"])
def test_a_block_that_is_no_mapping_is_markdown_for_all_but_docusaurus(block: str) -> None:
    text = f"---\n{block}\n---\nText"
    assert split_front_matter(text) == FrontMatter({}, text, 1)
    with pytest.raises(InputError, match="line 2: front matter must be a mapping"):
        split_front_matter(text, required=True)


def test_broken_yaml_is_refused_with_its_line() -> None:
    with pytest.raises(InputError, match="line 3: not valid YAML"):
        split_front_matter("---\ntitle: A\nb: c: d\n---\nText")


def test_the_block_of_one_page_is_not_that_of_another() -> None:
    text = "---\ntags: [a]\n---\n"
    first = split_front_matter(text).values
    assert isinstance(first, dict)
    first["title"] = "changed"
    assert "title" not in split_front_matter(text).values


@pytest.mark.parametrize(
    ("yaml", "title"),
    [
        ("title: A title", "A title"),
        ("title: 2024", "2024"),
        ("title: yes", "yes"),
        ("title: 1.10", "1.10"),
        ("title: 12:30", "12:30"),
        ("title: 2024-01-01", "2024-01-01"),
        ("title: '  A  '", "A"),
        ("title:", None),
        ("title: ~", None),
        ("title: ''", None),
        ("title: [a, b]", None),
        ("title: {a: b}", None),
        ("sidebar_label: A", None),
    ],
)
def test_the_title_is_what_is_written(yaml: str, title: str | None) -> None:
    assert page_title(split_front_matter(f"---\n{yaml}\n---\n").values) == title


@pytest.mark.parametrize(
    ("yaml", "tags"),
    [
        ("tags: [a, b, a]", ("a", "b")),
        ("tags: [2024, yes]", ("2024", "yes")),
        ("tags:\n  - label: Getting started\n    permalink: /x\n  - b", ("Getting started", "b")),
        ("tags: single", ("single",)),
        ("tags: []", ()),
        ("tags:", ()),
        ("tags: [~, '', [x]]", ()),
        ("title: x", ()),
    ],
)
def test_tags_are_texts_each_once(yaml: str, tags: tuple[str, ...]) -> None:
    assert page_tags(split_front_matter(f"---\n{yaml}\n---\n").values) == tags


@pytest.mark.parametrize(
    ("value", "answer"), [(True, True), ("true", True), (False, False), ("false", False), (1, False)]
)
def test_a_flag_is_true_or_the_text_true(value: object, answer: bool) -> None:
    assert is_true({"draft": value}, "draft") is answer
    assert not is_true({}, "draft")


@pytest.mark.parametrize(
    ("text", "values", "content", "first_line"),
    [
        ("---\ntitle: A\n---\n\nText", {"title": "A"}, "Text", 5),
        ("---\ntitle: A\n...\nText", {"title": "A"}, "Text", 4),
        ("---\ntitle: [a\n---\n\nText", {}, "---\ntitle: [a\n---\n\nText", 1),
        ("---\n- a\n---\n", {}, "---\n- a\n---\n", 1),
        ("---\n\nText", {}, "---\n\nText", 1),
        ("Title: A\nAuthor: Me\n    and you\nTITLE: B\n\nText", {"title": "A B", "author": "Me and you"}, "Text", 6),
        ("Title: A\nText", {"title": "A"}, "Text", 2),
        ("Text\nTitle: A", {}, "Text\nTitle: A", 1),
        ("\nTitle: A", {}, "Title: A", 2),
        ("", {}, "", 1),
    ],
)
def test_mkdocs_reads_yaml_and_lines_of_metadata_and_takes_the_rest_for_text(
    text: str, values: dict[str, object], content: str, first_line: int
) -> None:
    assert split_mkdocs_front_matter(text) == FrontMatter(values, content, first_line)


@pytest.mark.parametrize(
    ("block", "values"),
    [
        ("title: A: the first\ndraft: true", {"title": "A: the first", "draft": "true"}),
        ('title: "A\nnote: say "x": y', {"title": "A", "note": 'say "x": y'}),
        ("title: A: b\n  - deeper: c\n- d", {"title": "A: b"}),
    ],
)
def test_lines_of_values_that_are_no_yaml_are_read_as_text_where_that_is_allowed(
    block: str, values: dict[str, object]
) -> None:
    text = f"---\n{block}\n---\nText"
    front = split_front_matter(text, lenient=True)
    assert (front.values, front.content, front.first_line) == (values, "Text", block.count("\n") + 4)
    with pytest.raises(InputError, match="not valid YAML"):
        split_front_matter(text)


def test_a_block_that_is_neither_yaml_nor_lines_of_values_is_refused_everywhere() -> None:
    with pytest.raises(InputError, match="not valid YAML"):
        split_front_matter("---\n[a\n---\nText", lenient=True)
