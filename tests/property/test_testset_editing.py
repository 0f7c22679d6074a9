"""What holds for every edit of a test-set file: it says what was asked for, and every other byte stays."""

import difflib
import json
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, note
from hypothesis import strategies as st
from tests.handwriting import json_by_hand, yaml_by_hand
from tests.testset_samples import HALF, judgments, labelled_sets, load_file, written

from assay.adapters.testset_files.editing import TestSetEditor
from assay.adapters.testset_files.loading import dump
from assay.model.evaluation import TestSet
from assay.validation.testsets.keys import FREE_KEY, TEXT_KEYS
from assay.validation.testsets.plain import plain_judgment, to_plain


def _kept(before: str, after: str) -> bool:
    """Whether one text is the other with something inserted."""
    rest = iter(after)
    return all(character in rest for character in before)


def _edit(folder: str, name: str, text: str, test_set: TestSet, data: st.DataObject) -> tuple[object, object]:
    path = written(Path(folder), text, name)
    body = load_file(path).value
    assert isinstance(body, dict)
    place = data.draw(st.integers(0, len(test_set.topics) - 1))
    added = [plain_judgment(judgment) for judgment in data.draw(st.lists(judgments, min_size=1, max_size=2))]
    TestSetEditor(path, text_keys=TEXT_KEYS, free_key=FREE_KEY).append(test_set.topics[place].id, added)
    after = path.read_bytes().decode("utf-8")
    note("".join(difflib.unified_diff(text.splitlines(keepends=True), after.splitlines(keepends=True))))
    assert _kept(text, after)
    body["topics"][place]["judgments"] = [*(body["topics"][place].get("judgments") or []), *added]
    return load_file(path).value, body


@HALF
@given(labelled_sets(), st.data())
def test_appending_to_yaml_inserts_the_judgments_and_nothing_else(test_set: TestSet, data: st.DataObject) -> None:
    text = data.draw(yaml_by_hand(to_plain(test_set)))
    with TemporaryDirectory() as folder:
        found, wanted = _edit(folder, "set.yaml", text, test_set, data)
    assert found == wanted


@HALF
@given(labelled_sets(), st.data())
def test_appending_to_json_inserts_the_judgments_and_nothing_else(test_set: TestSet, data: st.DataObject) -> None:
    text = data.draw(json_by_hand(to_plain(test_set)))
    with TemporaryDirectory() as folder:
        found, wanted = _edit(folder, "set.json", text, test_set, data)
    assert found == wanted


@HALF
@given(labelled_sets(), st.data())
def test_appending_to_json_lines_changes_one_line(test_set: TestSet, data: st.DataObject) -> None:
    text = dump(to_plain(test_set), "jsonl")
    with TemporaryDirectory() as folder:
        found, wanted = _edit(folder, "set.jsonl", text, test_set, data)
        after = (Path(folder) / "set.jsonl").read_bytes().decode("utf-8")
    assert found == wanted
    assert sum(one != other for one, other in zip(text.split("\n"), after.split("\n"), strict=True)) == 1


@HALF
@given(labelled_sets(), st.data())
def test_changing_a_judgment_of_yaml_leaves_the_others_as_they_are(test_set: TestSet, data: st.DataObject) -> None:
    body = to_plain(test_set)
    text = data.draw(yaml_by_hand(body))
    places = [
        (place, number)
        for place, topic in enumerate(body["topics"])  # type: ignore[arg-type, var-annotated]
        for number in range(len(topic.get("judgments", ())))
    ]
    if not places:
        return
    place, number = data.draw(st.sampled_from(places))
    fields = {"label": 2, **plain_judgment(data.draw(judgments))}
    with TemporaryDirectory() as folder:
        path = written(Path(folder), text)
        wanted = load_file(path).value
        TestSetEditor(path, text_keys=TEXT_KEYS, free_key=FREE_KEY).change(test_set.topics[place].id, {number: fields})
        found = load_file(path).value
        note(path.read_text(encoding="utf-8"))
    assert isinstance(wanted, dict)
    wanted["topics"][place]["judgments"][number] |= fields
    assert json.dumps(found, sort_keys=True) == json.dumps(wanted, sort_keys=True)


@HALF
@given(labelled_sets(), st.sampled_from(["yaml", "json", "jsonl"]), st.data())
def test_added_topics_follow_the_others_and_nothing_else_changes(
    test_set: TestSet, form: str, data: st.DataObject
) -> None:
    by_hand = {"yaml": yaml_by_hand, "json": json_by_hand}
    plain = to_plain(test_set)
    text = data.draw(by_hand[form](plain)) if form in by_hand else dump(plain, form)
    added = [
        {"id": "new-1", "text": 'Wie? "so": # {x}'},
        {"id": "new-2", "text": "y", "filters": {"versions": ["1.0"]}},
    ]
    with TemporaryDirectory() as folder:
        path = written(Path(folder), text, f"set.{form}")
        body = load_file(path).value
        assert isinstance(body, dict)
        TestSetEditor(path, text_keys=TEXT_KEYS, free_key=FREE_KEY).append_topics(added)
        assert _kept(text, path.read_bytes().decode("utf-8"))
        assert load_file(path).value == {**body, "topics": [*body["topics"], *added]}
