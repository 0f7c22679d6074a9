"""Judgments are added as those beside them are written, and nothing else of the file is touched."""

# ruff: noqa: E501 - a table of cases reads best with each on its line

import os
import stat
from pathlib import Path

import pytest
from tests.testset_samples import written

from assay.adapters.testset_files.editing import TestSetEditor
from assay.errors import InputError
from assay.validation.testsets.keys import FREE_KEY, TEXT_KEYS

URL = "https://x.example/a"
NEW = {"url": URL, "quote": "a: b", "label": 2}
FLOW = f'{{url: {URL}, quote: "a: b", label: 2}}'
JSON = f'{{"url": "{URL}", "quote": "a: b", "label": 2}}'


def editor(path: Path) -> TestSetEditor:
    return TestSetEditor(path, text_keys=TEXT_KEYS, free_key=FREE_KEY)


def appended(folder: Path, text: str, name: str = "set.yaml", topic_id: str = "a") -> str:
    """The text of a file after NEW was appended to a topic."""
    path = written(folder, text, name)
    editor(path).append(topic_id, [NEW])
    return path.read_bytes().decode("utf-8")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "topics:\n  - id: a\n    judgments:\n      - {label: 1}  # why\n      # after\n\n  - id: b\n",
            f"topics:\n  - id: a\n    judgments:\n      - {{label: 1}}  # why\n      - {FLOW}\n      # after\n\n  - id: b\n",
            id="a block list of flow mappings",
        ),
        pytest.param(
            "topics:\n- id: a\n  judgments:\n  - label: 1\n    url: x # c\n  text: y\n",
            f"topics:\n- id: a\n  judgments:\n  - label: 1\n    url: x # c\n  - url: {URL}\n    quote: \"a: b\"\n    label: 2\n  text: y\n",
            id="a block list of block mappings, with its dashes under its key",
        ),
        pytest.param(
            "topics:\n- id: a\n  judgments:\n  - quote: |\n      x\n\n  - quote: >-\n      one\n      two\n\n# end\n",
            f"topics:\n- id: a\n  judgments:\n  - quote: |\n      x\n\n  - quote: >-\n      one\n      two\n\n"
            f"  - url: {URL}\n    quote: \"a: b\"\n    label: 2\n# end\n",
            id="after a block scalar",
        ),
        pytest.param(
            "topics:\n- id: a\n  text: x # what\n# next\n- id: b\n",
            f"topics:\n- id: a\n  text: x # what\n  judgments:\n    - {FLOW}\n# next\n- id: b\n",
            id="a topic without judgments",
        ),
        pytest.param(
            "topics:\n- id: a\n  judgments: # none yet\n  text: x\n",
            f"topics:\n- id: a\n  judgments: # none yet\n    - {FLOW}\n  text: x\n",
            id="a key without a value",
        ),
        pytest.param(
            "topics:\n- id: a\n  judgments:",
            f"topics:\n- id: a\n  judgments:\n    - {FLOW}",
            id="a key without a value at the end of a file without a newline",
        ),
        pytest.param(
            "topics:\n- id: a\n  judgments: ~\n", f"topics:\n- id: a\n  judgments: [{FLOW}]\n", id="a word for nothing"
        ),
        pytest.param(
            "topics:\n- id: a\n  judgments: []  # none\n",
            f"topics:\n- id: a\n  judgments: [{FLOW}]  # none\n",
            id="an empty list",
        ),
        pytest.param(
            "topics:\n- id: a\n  judgments: [{label: 1}, {label: 0}]\n",
            f"topics:\n- id: a\n  judgments: [{{label: 1}}, {{label: 0}}, {FLOW}]\n",
            id="a list in one line",
        ),
        pytest.param(
            "topics:\n- id: a\n  judgments: [\n    {label: 1},  # one\n    {label: 0}   # two\n  ]\n",
            f"topics:\n- id: a\n  judgments: [\n    {{label: 1}},  # one\n    {{label: 0}},   # two\n    {FLOW}\n  ]\n",
            id="a list over lines",
        ),
        pytest.param(
            "topics:\n- id: a\n  judgments: [\n    {label: 1}, {label: 0}\n  ]\n",
            f"topics:\n- id: a\n  judgments: [\n    {{label: 1}}, {{label: 0}}, {FLOW}\n  ]\n",
            id="a list over lines with several in a line",
        ),
        pytest.param(
            "topics:\n- id: a\n  judgments: [\n    {label: 1},\n  ]\n",
            f"topics:\n- id: a\n  judgments: [\n    {{label: 1}},\n    {FLOW},\n  ]\n",
            id="a list over lines with a comma at its end",
        ),
        pytest.param(
            "topics: [{id: a, text: x}]\n", f"topics: [{{id: a, text: x, judgments: [{FLOW}]}}]\n", id="a topic in one line"
        ),
        pytest.param(
            "topics: [{id: a, judgments: , text: x}]\n",
            f"topics: [{{id: a, judgments: [{FLOW}], text: x}}]\n",
            id="a topic in one line with a key without a value",
        ),
        pytest.param(
            "topics:\n- &t\n  id: a\n  judgments: &j\n    - label: 1\n",
            f"topics:\n- &t\n  id: a\n  judgments: &j\n    - label: 1\n    - url: {URL}\n      quote: \"a: b\"\n      label: 2\n",
            id="anchors that nothing refers to",
        ),
        pytest.param(
            "topics:\r\n- id: a\r\n  judgments:\r\n  - {label: 1}\r\n",
            f"topics:\r\n- id: a\r\n  judgments:\r\n  - {{label: 1}}\r\n  - {FLOW}\r\n",
            id="lines that end in CRLF",
        ),
        pytest.param(
            "topics:\n- id: a\n  judgments:\n  - {label: 1}\n...\n",
            f"topics:\n- id: a\n  judgments:\n  - {{label: 1}}\n  - {FLOW}\n...\n",
            id="the end of a document",
        ),
    ],
)  # fmt: skip
def test_yaml_is_added_to_as_it_is_written(tmp_path: Path, before: str, after: str) -> None:
    assert appended(tmp_path, before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            '{"topics": [{"id": "a", "judgments": [{"label": 1}]}]}',
            f'{{"topics": [{{"id": "a", "judgments": [{{"label": 1}}, {JSON}]}}]}}',
            id="one line",
        ),
        pytest.param(
            '{"topics": [\n  {"id": "a",\n   "judgments": [\n      {"label": 1}\n   ]}\n]}',
            f'{{"topics": [\n  {{"id": "a",\n   "judgments": [\n      {{"label": 1}},\n      {JSON}\n   ]}}\n]}}',
            id="a line for each",
        ),
        pytest.param(
            '{"topics": [{\n "id": "a",\n "judgments": [\n  {\n   "label": 1\n  }\n ]\n}]}\n',
            '{"topics": [{\n "id": "a",\n "judgments": [\n  {\n   "label": 1\n  },\n  {\n'
            f'   "url": "{URL}",\n   "quote": "a: b",\n   "label": 2\n  }}\n ]\n}}]}}\n',
            id="a line for each key",
        ),
        pytest.param(
            '{"topics": [{"id": "a", "judgments": []}]}',
            f'{{"topics": [{{"id": "a", "judgments": [{JSON}]}}]}}',
            id="an empty list",
        ),
        pytest.param(
            '{"topics": [{"id": "a", "judgments": null}]}',
            f'{{"topics": [{{"id": "a", "judgments": [{JSON}]}}]}}',
            id="null",
        ),
        pytest.param(
            '{"topics": [{\n  "id": "a"\n}]}',
            f'{{"topics": [{{\n  "id": "a",\n  "judgments": [{JSON}]\n}}]}}',
            id="a topic without judgments",
        ),
    ],
)
def test_json_is_added_to_as_it_is_written(tmp_path: Path, before: str, after: str) -> None:
    assert appended(tmp_path, before, "set.json") == after


def test_a_line_of_json_lines_is_added_to_and_the_others_stay(tmp_path: Path) -> None:
    before = '{"name": "x"}\n\n{"id": "b" ,"text":"y"}\r\n{"id": "a", "judgments": []}\n'
    after = before.replace("[]", f"[{JSON}]")
    assert appended(tmp_path, before, "set.jsonl") == after


def test_what_a_topic_had_from_its_original_is_written_with_its_first_own_judgment(tmp_path: Path) -> None:
    path = written(tmp_path, "topics:\n- id: a\n- id: b\n  judgments:\n  - {label: 1}\n")
    for topic_id in "ab":
        editor(path).append(topic_id, [NEW], inherited=[{"url": "x", "label": 0}])
    text = path.read_text(encoding="utf-8")
    assert text == (
        f"topics:\n- id: a\n  judgments:\n    - {{url: x, label: 0}}\n    - {FLOW}\n"
        f"- id: b\n  judgments:\n  - {{label: 1}}\n  - {FLOW}\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("topics:\n- id: b\n  judgments: &j\n  - {label: 1}\n- id: a\n  judgments: *j\n", id="an alias"),
        pytest.param("topics:\n- id: a\n  judgments: &j\n  - {label: 1}\n- id: b\n  judgments: *j\n", id="what an alias names"),
        pytest.param("topics:\n- id: a\n  judgments: &j []\n- id: b\n  judgments: *j\n", id="an empty list that an alias names"),
    ],
)  # fmt: skip
def test_a_list_that_two_topics_share_is_not_added_to(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError, match="the judgments of this topic cannot be edited"):
        editor(path).append("a", [NEW])
    assert path.read_text(encoding="utf-8") == text
    assert [left.name for left in tmp_path.iterdir()] == ["set.yaml"]


@pytest.mark.parametrize(
    ("before", "fields", "after"),
    [
        pytest.param("{url: x, quote: 'old', label: 1}", {"quote": "new: one"}, '{url: x, quote: "new: one", label: 1}', id="a value"),
        pytest.param("{chunk_id: x, label: 1}", {"url": URL}, f"{{chunk_id: x, label: 1, url: {URL}}}", id="a key more"),
        pytest.param("{url: x, position: [1, 2], label: 1} # c", {"position": [3, 4]}, "{url: x, position: [3, 4], label: 1} # c", id="a list"),
        pytest.param(
            "url: x # where\n    quote: |\n      old\n      words\n    # note\n    label: 1",
            {"quote": "new", "section": "s"},
            "url: x # where\n    quote: new\n    # note\n    label: 1\n    section: s",
            id="a block mapping",
        ),
        pytest.param("{url: x, label: 1}", {"url": "x", "label": 1}, "{url: x, label: 1}", id="nothing"),
    ],
)  # fmt: skip
def test_a_changed_judgment_keeps_what_does_not_change(
    tmp_path: Path, before: str, fields: dict[str, object], after: str
) -> None:
    frame = "topics:\n- id: a\n  judgments:\n  - {{label: 0}} # first\n  - {}\n  - {{label: 2}}\n"
    path = written(tmp_path, frame.format(before))
    editor(path).change("a", {1: fields})
    assert path.read_text(encoding="utf-8") == frame.format(after)


def test_one_editor_adds_and_changes_one_after_the_other(tmp_path: Path) -> None:
    path = written(tmp_path, "topics:\n- id: a\n- id: b\n")
    both = editor(path)
    both.append("b", [NEW])
    both.append("a", [{"label": 1}])
    both.change("a", {0: {"label": 0}})
    assert path.read_text(encoding="utf-8") == (
        f"topics:\n- id: a\n  judgments:\n    - {{label: 0}}\n- id: b\n  judgments:\n    - {FLOW}\n"
    )


def test_a_file_that_somebody_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = written(tmp_path, "topics: [{id: a}]\n")
    slow = editor(path)
    written(tmp_path, "topics: [{id: a}, {id: b}]\n")
    with pytest.raises(InputError, match="was changed by another program"):
        slow.append("a", [NEW])
    assert path.read_text(encoding="utf-8") == "topics: [{id: a}, {id: b}]\n"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_the_encoding_stays(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "set.yaml"
    path.write_bytes("topics: [{id: a, text: é😀}]\r\n".encode(encoding))
    editor(path).append("a", [{"label": 1}])
    assert path.read_bytes() == "topics: [{id: a, text: é😀, judgments: [{label: 1}]}]\r\n".encode(encoding)


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_permissions_and_links_stay(tmp_path: Path) -> None:
    path = written(tmp_path, "topics: [{id: a}]\n", "real.yaml")
    path.chmod(0o640)
    link = tmp_path / "set.yaml"
    link.symlink_to(path)
    editor(link).append("a", [{"label": 1}])
    assert link.is_symlink()
    assert "judgments" in path.read_text(encoding="utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_topic_or_judgment_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, "topics: [{id: a, judgments: [{label: 1}]}]\n")
    with pytest.raises(InputError, match="has no topic b"):
        editor(path).append("b", [NEW])
    with pytest.raises(InputError, match="topic a has no judgment 2"):
        editor(path).change("a", {1: NEW})


def test_a_file_with_a_fault_is_not_edited(tmp_path: Path) -> None:
    path = written(tmp_path, "topics: [{id: a, id: b}]\n")
    with pytest.raises(InputError, match="the key `id` repeats"):
        editor(path)


MANY = [
    pytest.param(
        "set.yaml",
        "topics:\n- id: a\n  judgments:\n  - {url: x, label: 1} # one\n- id: b # two\n- id: c\n  judgments: [{url: y, label: 2}]\n",
        "topics:\n- id: a\n  judgments:\n  - {url: z, label: 1} # one\n- id: b # two\n- id: c\n  judgments: [{url: y, label: 2, text_hash: h}]\n",
        id="yaml",
    ),
    pytest.param(
        "set.json",
        '{"topics": [{"id": "a", "judgments": [{"url": "x", "label": 1}]}, {"id": "b"},\n {"id": "c", "judgments": [{"url": "y", "label": 2}]}]}',
        '{"topics": [{"id": "a", "judgments": [{"url": "z", "label": 1}]}, {"id": "b"},\n {"id": "c", "judgments": [{"url": "y", "label": 2, "text_hash": "h"}]}]}',
        id="json",
    ),
    pytest.param(
        "set.jsonl",
        '{"id": "a", "judgments": [{"url": "x", "label": 1}]}\n{"id": "b"}\n{"id": "c", "judgments": [{"url": "y", "label": 2}]}\n',
        '{"id": "a", "judgments": [{"url": "z", "label": 1}]}\n{"id": "b"}\n{"id": "c", "judgments": [{"url": "y", "label": 2, "text_hash": "h"}]}\n',
        id="jsonl",
    ),
]


@pytest.mark.parametrize(("name", "before", "after"), MANY)
def test_judgments_of_many_topics_are_changed_at_once(tmp_path: Path, name: str, before: str, after: str) -> None:
    path = written(tmp_path, before, name)
    one = editor(path)
    one.change_topics({"c": {0: {"text_hash": "h"}}, "a": {0: {"url": "z", "label": 1}}})
    assert path.read_text() == after
    one.change_topics({"a": {0: {"url": "z"}}})
    one.change_topics({})
    assert path.read_text() == after


@pytest.mark.parametrize("changes", [{"a": {0: {"url": "z"}}, "none": {0: {}}}, {"a": {0: {"url": "z"}}, "b": {3: {}}}])
def test_of_many_changes_none_is_written_where_one_cannot_be(
    tmp_path: Path, changes: dict[str, dict[int, dict[str, object]]]
) -> None:
    before = "topics:\n- id: a\n  judgments: [{url: x, label: 1}]\n- id: b\n"
    path = written(tmp_path, before, "set.yaml")
    with pytest.raises(InputError, match=r"no topic none|topic b has no judgment 4"):
        editor(path).change_topics(changes)
    assert path.read_text() == before


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.yaml", "topics:\n- id: a # one\n  text: x\n", '- id: b\n  text: "y?"\n'),
        ("a.yaml", "topics:\n  - {id: a, text: x}\n# end", '  - {id: b, text: "y?"}\n# end'),
        ("a.jsonl", '{"id": "a", "text": "x"}', '\n{"id": "b", "text": "y?"}\n'),
    ],
)
def test_a_topic_is_added_in_the_style_of_the_others(tmp_path: Path, name: str, before: str, after: str) -> None:
    path = written(tmp_path, before, name)
    editor(path).append_topics([{"id": "b", "text": "y?"}])
    assert path.read_text(encoding="utf-8") == before.removesuffix("# end") + after


def test_a_topic_is_not_added_to_topics_that_are_an_alias(tmp_path: Path) -> None:
    text = "other: &all\n- {id: a, text: x}\ntopics: *all\n"
    path = written(tmp_path, text, "a.yaml")
    with pytest.raises(InputError, match=r"a\.yaml: its topics cannot be edited"):
        editor(path).append_topics([{"id": "b", "text": "y"}])
    assert path.read_text(encoding="utf-8") == text
