"""`assay validate` where something else fails or happens: a provider that is gone, a full disk, another process."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.copies import copy_tree
from tests.disks import fill_disk, forbid_writing, mounted
from tests.folders import plant
from tests.integration.cli.commands import PROGRAM, Run, environment, forked
from tests.integration.cli.conftest import PARTS
from tests.peers.openai import openai_peer
from tests.peers.serving import Peer

from assay.app import Assay
from assay.app.testsets import load_test_set
from assay.settings import load_settings
from assay.validation.running.runner import GIVEN_UP_AFTER, MAX_TIMED_TOPICS

TOPICS = 110
SETTINGS = """
[gate]
precision = "attainable"
min_precision_share = 0.6
min_mrr = 0.6
[validation]
testset = "topics.json"
"""


def _topic(number: int) -> dict[str, object]:
    part = PARTS[number % len(PARTS)]
    judged = {"url": f"https://docs.example/{part}", "quote": f"The {part} is checked", "label": 2}
    return {"id": f"t{number}", "text": f"When is the {part} checked? ({number})", "judgments": [judged]}


def _plant(folder: Path, topics: int, settings: str = "") -> None:
    plant(folder, {"topics.json": json.dumps({"name": "parts", "topics": [_topic(n) for n in range(topics)]})})
    toml = folder / "assay.toml"
    toml.write_text(toml.read_text() + SETTINGS + settings)


# --- a provider ----------------------------------------------------------------------------------------------------


@pytest.fixture
def peer() -> Iterator[Peer]:
    with openai_peer() as started:
        yield started


@pytest.fixture
def paid(folder: Path, assay: Run, peer: Peer) -> Run:
    """A candidate whose vectors a provider made, and many topics to ask."""
    embedding = f'\n[embedding]\nprovider = "openai"\nmodel = "bge"\ndimensions = 1024\nbase_url = "{peer.url}/v1"\n'
    _plant(folder, TOPICS, f'{embedding}openai_api_key = "peer-key"\n')
    said = assay("ingest")
    assert said.code == 0, said.err
    peer.ledger.reset()
    return assay


def _error_of(case: dict[str, object]) -> str:
    return str(case["error"] or "")


def test_a_provider_that_always_refuses_makes_it_inconclusive_after_a_few_topics(paid: Run, peer: Peer) -> None:
    peer.faults.always("503")
    said = paid("validate", "--json", "--concurrency", "2")
    assert said.code == 3
    body = said.body
    assert body["verdict"] == "INCONCLUSIVE"
    cases = body["test_cases"]
    asked = [case for case in cases if not _error_of(case).startswith("Skipped after")]
    assert (len(cases), len(asked)) == (TOPICS, GIVEN_UP_AFTER)
    assert all("answered 503" in _error_of(case) for case in cases)
    findings = {finding["check"]: finding for finding in body["gate"]["findings"]}
    told = findings["topics asked"]
    assert (told["outcome"], told["count"]) == ("INCONCLUSIVE", TOPICS)
    assert f"The last {TOPICS - GIVEN_UP_AFTER} of them, from " in told["detail"]
    assert "Fix the cause, and run again" in told["detail"]
    assert findings["reachable by title"]["outcome"] == "INCONCLUSIVE"
    assert body["latency"] is None
    assert peer.ledger.requests <= 3 * (GIVEN_UP_AFTER + 2)


def test_a_provider_that_is_not_there_makes_it_inconclusive(paid: Run, peer: Peer) -> None:
    peer.stop()
    said = paid("validate", "--no-report")
    assert said.code == 3
    assert "topics failed, and are in no figure" in said.out
    assert "Check [embedding] base_url" in said.out


def test_a_provider_that_fails_for_one_topic_has_the_others_answered(paid: Run, peer: Peer) -> None:
    peer.faults.script(["ok"] * 6 + ["400"])
    body = paid("validate", "--json", "--no-report").body
    assert [bool(case["error"]) for case in body["test_cases"]].count(True) == 1
    assert sum(len(case["actual_results"]) > 0 for case in body["test_cases"]) == TOPICS - 1
    assert body["latency"]["samples"] >= MAX_TIMED_TOPICS - 1


def test_a_note_says_that_paid_vectors_were_not_made_anew(paid: Run) -> None:
    notes = paid("validate", "--json", "--no-report").body["notes"]
    assert any(note.startswith("Most vectors were not recomputed, because bge charges") for note in notes)


# --- a disk --------------------------------------------------------------------------------------------------------


def test_on_a_full_disk_the_verdict_is_printed_and_stored_and_no_file_is_left(
    assay: Run, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    _plant(folder, 6)
    assay("ingest")
    with mounted(tmp_path_factory.mktemp("small") / "disk") as disk:
        fill_disk(disk)
        said = assay("validate", "--output-dir", str(disk / "reports"))
        assert "PASS: 6/6 queries" in said.out
        assert f"Reports cannot be written to {disk}/reports: no space left on device." in said.err
        assert "Free some space, or set another folder: --output-dir" in said.err
        assert said.code == 4
        assert [path.name for path in disk.iterdir() if path.is_file()] == ["filler"]
        assert not [*disk.glob("reports/*")]
    assert assay("generations", "--json").body["generations"][0]["verdict"] == "PASS"


def test_a_read_only_data_directory_has_its_report_printed_and_names_the_path(
    assay: Run, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    _plant(folder, 6)
    assay("ingest")
    with mounted(tmp_path_factory.mktemp("small") / "disk") as disk:
        copy_tree(folder / ".assay", disk / "data")
        forbid_writing(disk)
        said = assay("validate", "--data-dir", str(disk / "data"))
    assert "PASS: 6/6 queries" in said.out
    assert f"{disk}/data" in said.err
    assert said.code == 4


# --- other processes -----------------------------------------------------------------------------------------------


def test_a_test_set_that_changes_meanwhile_is_not_what_the_pass_names(assay: Run, folder: Path) -> None:
    _plant(folder, 400)
    assay("ingest")
    asked = load_test_set(folder / "topics.json").fingerprint
    running = subprocess.Popen(
        [*PROGRAM, "validate", "--json", "--no-report"],
        cwd=folder,
        env=environment(),
        stdout=(folder / "out").open("wb"),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    for line in running.stderr:
        if line.startswith("Searching for every topic"):
            break
    _plant_other(folder)
    running.stderr.read()
    assert running.wait(120) == 0
    body = json.loads((folder / "out").read_text())
    assert (body["verdict"], body["total_queries"]) == ("PASS", 400)
    assert body["provenance"]["test_set_fingerprint"] == asked != load_test_set(folder / "topics.json").fingerprint
    promoted = assay("promote", "--json")
    assert (promoted.code, promoted.body["error"]) == (3, "promotion_undecided")


def _plant_other(folder: Path) -> None:
    """The same names with answers that are wrong."""
    topics = [_topic(n) | {"judgments": [{"url": "https://docs.example/lamp", "label": 2}]} for n in range(6)]
    plant(folder, {"topics.json": json.dumps({"name": "parts", "topics": topics})})


def test_validations_at_once_each_leave_a_report_of_their_own_and_a_whole_verdict(assay: Run, folder: Path) -> None:
    _plant(folder, 60)
    assay("ingest")
    running = [forked(folder, "validate", "--json", log=folder / "log") for _ in range(2)]
    bodies = [json.loads(one.stdout.read()) for one in running]
    for one in running:
        one.close()
    files = {path for body in bodies for path in body["files"].values()}
    assert len(files) == 8
    assert all((folder / path).is_file() for path in files)
    for body in bodies:
        stored = json.loads((folder / body["files"]["json"]).read_text())
        assert stored["test_cases"] == body["test_cases"]
    with Assay.open(load_settings(folder / "assay.toml")) as opened:
        (generation,) = opened.generations()
        assert generation.verdict is not None
        assert generation.verdict["outcome"] == "PASS"
    assert assay("promote").code == 0
