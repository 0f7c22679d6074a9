"""Labelling over HTTP: queue, labels, undo, two judges, selections, and their effect on the verdict."""

import io
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from rich.console import Console
from starlette.testclient import TestClient
from tests.copies import copy_tree
from tests.folders import plant
from tests.integration.web.wire import bearer, make_key
from tests.testset_samples import MACHINE

from assay.app import Assay
from assay.app.testsets import load_test_set
from assay.cli.testsets.labelling import Session
from assay.contracts.operators import labelling
from assay.contracts.operators.labelling_entities import (
    LabelAnswer,
    LabelQueueAnswer,
    LabelTestSets,
    SelectedPassage,
    UndoAnswer,
)
from assay.errors import InputError
from assay.model.access import Scope
from assay.model.labelling import LabelledSystem, QueueRequest
from assay.settings import load_settings
from assay.web.application import create_app

PARTS = ("gripper", "motor", "camera", "battery", "lidar", "ankle")
FILE = "machine.testset.yaml"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a test set, and a candidate of a few pages."""
    folder = tmp_path_factory.mktemp("labelled")
    text = "# The {0}\n\nThe {0} is checked every {1} days.\n\n## Wear\n\n{0} wears 🙂.\n"
    pages = {f"docs/{part}.md": text.format(part, len(part)) for part in PARTS}
    toml = '[[sources]]\npath = "docs"\nname = "docs"\nbase_url = "https://docs.example"\nconvention = "plain"\n'
    toml += f'[validation]\ntestset = "{FILE}"\noutput_dir = "reports"\n'
    plant(folder, {**pages, "assay.toml": toml, FILE: MACHINE})
    with opened(folder) as made:
        made.builds.ingest()
    make_key(folder / "keys.json", "operator", Scope.ADMIN)
    return folder


def opened(folder: Path, **more: object) -> Assay:
    keys = {"keys_file": str(folder / "keys.json")}
    return Assay.open(load_settings(folder / "assay.toml", {"data_dir": folder / ".assay", "server": keys, **more}))


class Judge:
    """Somebody who labels over HTTP."""

    def __init__(self, client: TestClient, key: str, name: str = "ada") -> None:
        self.client, self.key, self.name = client, key, name

    def post(self, path: str, body: Mapping[str, object], **headers: str) -> httpx.Response:
        return self.client.post(f"/v1/admin/labels{path}", json=body, headers={**bearer(self.key), **headers})

    def named(self, **fields: object) -> dict[str, object]:
        return {"test_set": "machine", "judge": self.name, **fields}

    def queue(self, **fields: object) -> LabelQueueAnswer:
        answer = self.post("/queue", self.named(**fields))
        assert answer.status_code == 200, answer.text
        return LabelQueueAnswer.model_validate_json(answer.content)

    def wanted(self, queue: LabelQueueAnswer, number: int, label: int) -> dict[str, object]:
        item = queue.items[number]
        judgment = item.judgment.model_dump(exclude_unset=True)
        content = {"content_hash": item.content_hash, "queue": queue.queue}
        return self.named(topic_id=item.topic_id, judgment=judgment, label=label, **content)

    def label(self, queue: LabelQueueAnswer, number: int, label: int) -> LabelAnswer:
        answer = self.post("", self.wanted(queue, number, label))
        assert answer.status_code == 200, answer.text
        return LabelAnswer.model_validate_json(answer.content)

    def undo(self, entry: str, queue: str | None = None) -> httpx.Response:
        return self.post("/undo", self.named(entry=entry, queue=queue))

    def test_sets(self) -> LabelTestSets:
        answer = self.client.get("/v1/admin/labels", headers=bearer(self.key))
        return LabelTestSets.model_validate_json(answer.content)


@pytest.fixture
def site(built: Path, tmp_path: Path) -> Path:
    return copy_tree(built, tmp_path / "site")


@pytest.fixture(scope="module")
def shared(built: Path) -> Iterator[Assay]:
    """An Assay that lends its model to those of the tests."""
    with opened(built) as assay:
        yield assay


@pytest.fixture
def judge(site: Path, shared: Assay) -> Iterator[Judge]:
    with opened(site) as assay:
        assay.parts.__dict__["embedder"] = shared.parts.embedder
        with TestClient(create_app(assay)) as client:
            yield Judge(client, make_key(site / "keys.json", "judge", Scope.ADMIN))


def labels(site: Path) -> dict[str, list[int]]:
    return {topic.id: [one.label for one in topic.judgments] for topic in load_test_set(site / FILE).topics}


def keys_of(queue: LabelQueueAnswer) -> list[tuple[str, str]]:
    return [(item.topic_id, item.content_hash) for item in queue.items]


def test_the_queue_is_that_of_assay_label(judge: Judge, site: Path) -> None:
    queue = judge.queue()
    with opened(site) as assay:
        sheet = assay.labels.sheet(load_test_set(site / FILE))
    assert [item.model_dump_json(exclude_unset=True) for item in queue.items] == [
        labelling.to_item(item).model_dump_json(exclude_unset=True) for item in sheet.items
    ]
    assert queue.waiting == queue.progress.left == len(sheet.items) > 5
    assert queue.generations == [sheet.generation]
    assert queue.undo is None


def test_a_label_is_in_the_file_before_the_answer_and_nothing_else_changes(judge: Judge, site: Path) -> None:
    queue = judge.queue(topics=["motor"])
    for number, label in enumerate((2, 0, 1)):
        answer = judge.label(queue, number, label)
        assert (answer.saved, answer.label, answer.given.label) == (True, label, label)
        assert labels(site)["motor"][-1] == label
    after = iter((site / FILE).read_text(encoding="utf-8").splitlines())
    assert all(line in after for line in MACHINE.splitlines())
    again = judge.queue(topics=["motor"])
    assert set(keys_of(again)) == set(keys_of(queue)[3:])


def test_the_file_is_the_one_that_assay_label_writes(judge: Judge, site: Path, built: Path, tmp_path: Path) -> None:
    keys = "01s2u10us0012u0000"
    other = copy_tree(built, tmp_path / "other")
    with opened(other) as assay:
        sheet = assay.labels.sheet(load_test_set(other / FILE))
        Session(assay, sheet, sheet.items, other / FILE, Console(file=io.StringIO())).run(iter(keys))
    queue, given, at = judge.queue(), [], 0
    for key in keys:
        item = queue.items[at]
        if key == "u":
            assert judge.undo(given.pop(), queue.queue).status_code == 200
            at -= 1
            continue
        if key == "s":
            skip = judge.post("/skip", judge.named(topic_id=item.topic_id, content_hash=item.content_hash))
            given.append(skip.json()["entry"])
        elif item.expects_answer or key == "0":
            given.append(judge.label(queue, at, int(key)).given.entry)
        else:
            continue
        at += 1
    assert (site / FILE).read_bytes() == (other / FILE).read_bytes() != MACHINE.encode()
    entries = [[(e["topic"], e["label"]) for e in entries_of(folder)] for folder in (site, other)]
    assert entries[0] == entries[1]


def entries_of(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / ".assay" / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    return [fields for fields in map(json.loads, lines) if "undone" not in fields]


def test_undo_restores_the_file_and_also_works_after_a_restart(judge: Judge, site: Path, shared: Assay) -> None:
    queue = judge.queue()
    given = [judge.label(queue, number, 0).given.entry for number in range(3)]
    with opened(site) as assay:
        assay.parts.__dict__["embedder"] = shared.parts.embedder
        with TestClient(create_app(assay)) as client:
            later = Judge(client, judge.key)
            for entry in reversed(given):
                known = later.queue().undo
                assert known is not None
                assert known.entry == entry
                assert later.undo(entry).status_code == 200
            assert later.queue().undo is None
    assert (site / FILE).read_text(encoding="utf-8") == MACHINE
    assert sorted(keys_of(judge.queue())) == sorted(keys_of(queue))
    assert "undone already" in judge.undo(given[0]).json()["message"]


def test_another_judge_cannot_undo_a_label(judge: Judge) -> None:
    entry = judge.label(judge.queue(), 0, 0).given.entry
    assert Judge(judge.client, judge.key, "bob").undo(entry).status_code == 400


def test_many_judges_at_the_same_time_lose_no_label(judge: Judge, site: Path) -> None:
    queue = judge.queue()
    judges = [Judge(judge.client, judge.key, name) for name in ("ada", "bob", "cleo")]
    with ThreadPoolExecutor(6) as pool:
        wanted = [(judges[number % 3], number) for number in range(len(queue.items))]
        answers = list(pool.map(lambda pair: pair[0].label(queue, pair[1], 0), wanted))
    assert all(answer.saved for answer in answers)
    assert sum(map(len, labels(site).values())) == len(queue.items) + 1 + len(labels(site)["motor-2"])
    assert judge.queue().waiting == 0


def test_a_passage_that_has_a_label_keeps_it_and_the_second_label_counts_for_the_agreement(
    judge: Judge, site: Path
) -> None:
    other = Judge(judge.client, judge.key, "bob")
    queue = judge.queue()
    for number, label in enumerate((0, 0, 0, 0)):
        judge.label(queue, number, label)
    second = other.queue(second_opinion=True)
    assert sorted(keys_of(second)) == sorted(keys_of(queue)[:4])
    before = (site / FILE).read_bytes()
    for number, label in enumerate((0, 0, 0, 0)):
        answer = other.label(second, number, label)
        assert (answer.saved, answer.label, answer.effect) == (False, 0, None)
    assert (site / FILE).read_bytes() == before
    assert other.queue(second_opinion=True).items == []
    (test_set,) = judge.test_sets().test_sets
    (agreement,) = test_set.agreements
    assert test_set.judges == ["ada", "bob"]
    assert (agreement.judges, agreement.both, agreement.equal, agreement.kappa) == (["ada", "bob"], 4, 4, None)


def test_judges_who_differ_are_listed_with_their_labels(judge: Judge) -> None:
    other = Judge(judge.client, judge.key, "bob")
    queue = judge.queue(topics=["motor"])
    for number, (one, two) in enumerate(((2, 2), (0, 1), (0, 0))):
        judge.label(queue, number, one)
        other.label(queue, number, two)
    ((agreement,),) = ([*one.agreements] for one in judge.test_sets().test_sets)
    assert (agreement.both, agreement.equal) == (3, 2)
    assert agreement.kappa == pytest.approx(0.5)
    (differing,) = agreement.differing
    assert (differing.topic_id, differing.labels) == ("motor", [0, 1])
    assert (differing.url, differing.quote) == (queue.items[1].url, queue.items[1].judgment.quote)


def test_skipped_hits_are_asked_again_only_on_request(judge: Judge) -> None:
    queue = judge.queue()
    first = queue.items[0]
    skip = judge.post("/skip", judge.named(topic_id=first.topic_id, content_hash=first.content_hash))
    assert skip.json()["label"] is None
    assert keys_of(judge.queue()) == keys_of(queue)[1:]
    assert keys_of(judge.queue(skipped=True)) == keys_of(queue)
    undone = UndoAnswer.model_validate_json(judge.undo(skip.json()["entry"]).content)
    assert undone.undone.content_hash == first.content_hash
    assert keys_of(judge.queue()) == keys_of(queue)


def test_the_effect_of_labels_is_what_a_validation_then_says(judge: Judge, site: Path) -> None:
    queue = judge.queue(topics=["motor"])
    before = queue.progress
    effect = None
    for number in range(len(queue.items)):
        effect = judge.label(queue, number, 2).effect
    assert effect is not None
    assert {one.topic_id for one in effect.topics} == {"motor", "motor-2"}
    motor = next(one for one in effect.topics if one.topic_id == "motor")
    assert (motor.after, motor.precision_after) == ("reached", 1.0)
    assert effect.progress.left == before.left - len(queue.items)
    with opened(site) as assay:
        findings = {one.check: one for one in assay.validate().verdict.findings}
    for check in effect.progress.checks:
        assert (check.outcome, check.value) == (findings[check.check].outcome, findings[check.check].value)


def test_two_server_processes_know_of_each_others_labels(judge: Judge, site: Path, shared: Assay) -> None:
    queue = judge.queue(topics=["motor"])
    with opened(site) as assay:
        assay.parts.__dict__["embedder"] = shared.parts.embedder
        with TestClient(create_app(assay)) as client:
            elsewhere = Judge(client, judge.key, "bob").label(queue, 0, 2)
    here = judge.label(queue, 1, 2)
    for number, answer in enumerate((elsewhere, here), start=1):
        assert answer.effect is not None
        assert answer.effect.progress.left == queue.progress.left - number
        motor = next(one for one in answer.effect.topics if one.topic_id == "motor")
        assert (motor.precision_before, motor.precision_after) == (0.2 * (number - 1), 0.2 * number)


@pytest.mark.parametrize("queue", ["5", "5~x", "x~y~hybrid", "5~a~b", "9999~a~hybrid", "~", "5~a~hybrid~b"])
def test_an_unknown_queue_gives_no_effect_and_the_label_is_saved(judge: Judge, queue: str) -> None:
    body = judge.wanted(judge.queue(limit=1), 0, 0) | {"queue": queue}
    answer = LabelAnswer.model_validate_json(judge.post("", body).content)
    assert (answer.saved, answer.effect) == (True, None)


def test_undo_gives_the_topic_its_standing_back(judge: Judge) -> None:
    queue = judge.queue(topics=["motor"])
    given = judge.label(queue, 0, 2)
    assert given.effect is not None
    answer = UndoAnswer.model_validate_json(judge.undo(given.given.entry, queue.queue).content)
    assert answer.effect is not None
    (there,) = [one for one in given.effect.topics if one.topic_id == "motor"]
    (back,) = [one for one in answer.effect.topics if one.topic_id == "motor"]
    assert (back.before, back.precision_before) == (there.after, there.precision_after)
    assert (back.after, back.precision_after) == (there.before, there.precision_before)
    assert answer.effect.progress == queue.progress


def test_the_hits_of_two_systems_are_mixed_and_each_asked_once(judge: Judge) -> None:
    modes = [judge.queue(systems=[{"mode": mode}], depth=2) for mode in ("sparse", "dense")]
    both = judge.queue(systems=[{"mode": "sparse"}, {"mode": "dense"}], depth=2)
    assert set(keys_of(both)) == {key for one in modes for key in keys_of(one)}
    assert len(keys_of(both)) == len(set(keys_of(both)))
    assert len(keys_of(both)) > max(len(keys_of(one)) for one in modes)
    answer = judge.label(both, 0, 0)
    assert answer.effect is not None
    assert answer.effect.progress.left == both.waiting - 1


def test_a_selection_becomes_a_judgment_of_the_chunks_under_it(judge: Judge, site: Path) -> None:
    queue = judge.queue(topics=["motor"])
    where = {"generation": queue.generations[0], "url": "https://docs.example/motor"}
    page = judge.post("/page", where).json()
    start = page["text"].index("motor wears 🙂.")
    sent = {**where, "start": start - 2, "end": start + len("motor wears 🙂.")}
    selected = SelectedPassage.model_validate_json(judge.post("/selection", sent).content)
    assert selected.judgment.quote == "motor wears 🙂."
    assert len(selected.chunk_ids) == 1
    judgment = selected.judgment.model_dump(exclude_unset=True)
    body = judge.named(topic_id="motor", judgment=judgment, label=1, queue=queue.queue)
    answer = LabelAnswer.model_validate_json(judge.post("", body).content)
    assert answer.saved
    assert labels(site)["motor"] == [1]
    assert selected.chunk_ids[0] not in {item.chunk_id for item in judge.queue(topics=["motor"]).items}


@pytest.mark.parametrize(
    ("path", "change", "words"),
    [
        ("", {"test_set": "../secrets"}, "there is no test set ../secrets"),
        ("", {"topic_id": "none"}, "no topic with the id none"),
        ("", {"label": 3}, "label: it must be a whole number from 0 to 2"),
        ("", {"judgment": {"url": "https://docs.example/motor"}}, "it names no words"),
        ("", {"judgment": {"url": "https://docs.example/motor", "quote": "no such words"}}, "cannot be found again"),
        ("", {"judgment": {"url": "HTTPS://docs.example/motor", "quote": "x"}}, "it must be canonical"),
        ("", {"judgment": {"quote": "x"}}, "needs the URL"),
        ("", {"judgment": {"url": "https://docs.example/motor", "quote": "x", "position": [1, 2]}}, "text_hash"),
        ("", {"topic_id": "nothing", "label": 1}, "has `expect: no_answer`"),
        ("", {"path": "/etc/passwd"}, "There is no field `path`"),
        ("/page", {"url": "https://docs.example/none"}, "has no page"),
        ("/selection", {"start": 5, "end": 5}, "is not in the page's text"),
        ("/selection", {"start": 0, "end": 10**6}, "is not in the page's text"),
        ("/queue", {"topics": ["none"]}, "has no topic with the id none"),
        ("", {"content_hash": "5a60"}, "content_hash: it must be a string that matches ^[0-9a-f]{64}$"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_and_changes_nothing(
    judge: Judge, site: Path, path: str, change: dict[str, Any], words: str
) -> None:
    queue = judge.queue(limit=1)
    place = {"generation": queue.generations[0], "url": "https://docs.example/motor"}
    sound = {
        "": judge.wanted(queue, 0, 0),
        "/page": place,
        "/selection": {**place, "start": 0, "end": 1},
        "/queue": judge.named(),
    }
    answer = judge.post(path, sound[path] | change)
    assert (answer.status_code, words in answer.json()["message"]) == (400, True), answer.text
    assert "--" not in answer.json()["message"]  # no option of the command line
    assert (site / FILE).read_text(encoding="utf-8") == MACHINE


def test_labelling_needs_an_admin_key_json_and_its_own_origin(judge: Judge, site: Path) -> None:
    body = judge.wanted(judge.queue(limit=1), 0, 0)
    path = "/v1/admin/labels"
    assert judge.client.get(path).status_code == 401
    assert judge.client.post(path, json=body).status_code == 401
    searcher = make_key(site / "keys.json", "searcher", Scope.SEARCH)
    assert judge.client.post(path, json=body, headers=bearer(searcher)).status_code == 403
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert judge.post("", body, **foreign).status_code == 400
    plain = {**bearer(judge.key), "Content-Type": "text/plain"}
    assert judge.client.post(path, content=json.dumps(body), headers=plain).status_code == 400
    assert (site / FILE).read_text(encoding="utf-8") == MACHINE


def test_topics_that_changed_meanwhile_are_searched_again(judge: Judge, site: Path) -> None:
    judge.queue()
    changed = MACHINE.replace("How often is the motor checked?", "How often is the camera checked?")
    (site / FILE).write_text(changed, encoding="utf-8")
    queue = judge.queue(topics=["motor"])
    assert queue.items[0].query == "How often is the camera checked?"
    assert "https://docs.example/camera" in {item.url for item in queue.items}


def test_without_a_test_set_there_is_nothing_to_label(judge: Judge, site: Path) -> None:
    (site / FILE).unlink()
    (found,) = judge.test_sets().test_sets
    assert "There is no file" in (found.problem or "")
    with opened(site, validation={"testset": False}) as assay:
        assert assay.labelling.test_sets() == []
        request = QueueRequest("machine", "", (LabelledSystem(),), 5, (), skipped=False, second_opinion=False, limit=10)
        with pytest.raises(InputError, match="no test set machine"):
            assay.labelling.queue(request)
