"""Labels of admonitions, tabs and folds."""

import pytest

from assay.ingest.text.inlines import Inline, InlineLink
from assay.ingest.text.labels import container_label, tab_label, tab_values


@pytest.mark.parametrize(
    ("kind", "title", "label"),
    [
        ("note", "", "Note:"),
        ("note", "Mind this", "Note: Mind this"),
        ("NOTE", "note", "Note:"),
        ("see-also", "", "See also:"),
        ("tab", "npm", "npm:"),
        ("details", "More", "More"),
        ("code-group", "", ""),
        ("html", "", ""),
    ],
)
def test_a_container_is_labelled_by_kind_and_title(kind: str, title: str, label: str) -> None:
    assert container_label(kind, Inline(title)).text == label


def test_links_in_a_title_keep_their_place() -> None:
    label = container_label("tip", Inline("see this", (InlineLink(4, 8, "https://x.org"),)))
    assert [label.text[link.start : link.end] for link in label.links] == ["this"]


@pytest.mark.parametrize(("label", "shown"), [("npm", "npm:"), ("Why?", "Why?"), ("A:", "A:"), ("", ""), (" x ", "x:")])
def test_a_tab_label_ends_in_one_mark(label: str, shown: str) -> None:
    assert tab_label(label) == shown


def test_labels_of_tabs_are_found_by_value_in_the_list_that_names_them() -> None:
    written = """{[ {label: 'Android (Java)', value: 'android'}, {value: "ios", label: "iOS"}, {label: 'x'} ]}"""
    assert tab_values(written) == {"android": "Android (Java)", "ios": "iOS"}
    assert tab_values("{constants.platforms}") == {}
    assert tab_values("") == {}
