"""`assay calibrate` on the example handbook, with labels that say something and with too few."""

import tomllib
from pathlib import Path

import pytest
import yaml
from tests.folders import plant
from tests.integration.cli.commands import Run, runner

from assay.settings import load_settings

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
KINDS = {
    "gripper": ("The gripper holds cups and bottles.", "holding cups with the gripper"),
    "battery": ("The battery is charged overnight.", "charging the battery overnight"),
    "camera": ("The camera sees in the dark.", "camera seeing in the dark"),
    "wheel": ("The wheel turns on gravel.", "wheels turning on gravel"),
    "motor": ("The motor hums at high speed.", "motor humming at high speed"),
    "sensor": ("The sensor measures moisture.", "sensor for moisture measurements"),
}


def site(folder: Path, nothing: int) -> None:
    """Pages, each with one topic that it answers and all others judged irrelevant."""
    pages = {f"docs/{name}.md": f"# {name.title()}\n\n{text}\n" for name, (text, _) in KINDS.items()}
    toml = '[[sources]]\npath = "docs"\nbase_url = "https://docs.example"\nconvention = "plain"\n'
    topics = [
        {
            "id": name,
            "text": query,
            "judgments": [{"url": f"https://docs.example/{other}", "label": 2 * (other == name)} for other in KINDS],
        }
        for name, (_, query) in KINDS.items()
    ]
    topics += [
        {"id": f"same-{name}", "text": name, "judgments": [{"url": f"https://docs.example/{name}", "label": 1}]}
        for name in KINDS
    ]
    topics += [
        {"id": f"none-{number}", "text": f"{word} of medieval cathedrals", "type": "edge", "expect": "no_answer"}
        for number, word in enumerate(["music", "poetry", "bishops", "windows", "law", "taxes"][:nothing])
    ]
    plant(folder, {**pages, "assay.toml": toml, "s.yaml": yaml.safe_dump({"name": "s", "topics": topics})})


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    return runner(monkeypatch, capsys, tmp_path)


def test_labels_that_part_give_thresholds_that_can_be_set_as_they_stand(run: Run, tmp_path: Path) -> None:
    site(tmp_path, 6)
    assert run("ingest").code == 0
    said = run("calibrate", "--testset", "s.yaml", "--json")
    assert said.code == 0
    body = said.body
    threshold = body["separation"]["threshold"]
    low, high = body["separation"]["interval"]
    assert 0.0 < low <= high < 1.0
    assert body["separation"]["auc"] > 0.9
    assert body["relevant"] == 12
    assert body["irrelevant"] == 30 + 6 * 5
    kept = [value >= threshold for value in body["similarities"]["relevant"]]
    row = next(one for one in body["thresholds"] if one["threshold"] == threshold)
    assert row["recall"] == sum(kept) / len(kept)
    assert body["abstention"]["answered"] >= 0.95
    assert {0.3, 0.5, 0.7} <= {one["threshold"] for one in body["thresholds"]}

    settings = tmp_path / "calibrated.toml"
    settings.write_text(body["settings"], encoding="utf-8")
    assert tomllib.loads(body["settings"])["search"]["threshold"] == threshold
    loaded = load_settings(settings, {})
    assert loaded.search.threshold == threshold
    assert loaded.gate.abstain_below == body["abstention"]["threshold"]
    assert loaded.gate.edge_topics == "abstain"


def test_the_screen_says_what_was_used_what_it_means_and_what_to_set(run: Run, tmp_path: Path) -> None:
    site(tmp_path, 6)
    run("ingest")
    out = run("calibrate", "--testset", "s.yaml", "--mode", "dense", "--depth", "6").out
    assert "of the first 6 hits of 18 topics (dense) 12 are judged 1 or 2" in out
    assert "◂ threshold" in out
    assert "used for other models" in out
    assert "[search]\nthreshold = " in out
    assert "abstain_below = " in out
    assert "`expected_criteria: {min_score: " in out


def test_a_threshold_of_the_settings_does_not_hide_hits_from_calibration(run: Run, tmp_path: Path) -> None:
    site(tmp_path, 6)
    run("ingest")
    before = run("calibrate", "--testset", "s.yaml", "--json").body
    with (tmp_path / "assay.toml").open("a") as toml:
        toml.write("[search]\nthreshold = 0.9\n")
    assert run("calibrate", "--testset", "s.yaml", "--json").body == before


def test_too_few_labels_are_exit_code_3_and_no_number(run: Run, tmp_path: Path) -> None:
    site(tmp_path, 2)
    topics = yaml.safe_load((tmp_path / "s.yaml").read_text())
    topics["topics"] = topics["topics"][:3]
    (tmp_path / "few.yaml").write_text(yaml.safe_dump(topics))
    run("ingest")
    said = run("calibrate", "--testset", "few.yaml")
    assert said.code == 3
    assert "Threshold not known: there are only 3 hits judged 1 or 2 (10 are needed)" in said.out
    assert "threshold = " not in said.out
    body = run("calibrate", "--testset", "few.yaml", "--json").body
    assert body["separation"]["threshold"] is None
    assert body["settings"] is None


def test_abstention_is_known_by_itself_where_there_are_no_labels_of_0(run: Run, tmp_path: Path) -> None:
    site(tmp_path, 2)
    run("ingest")
    said = run("calibrate", "--testset", "s.yaml")
    assert said.code == 0
    assert "Abstention not known: there are only 2 topics with `expect: no_answer`" in said.out
    assert "[gate]" not in said.out


def test_the_handbook_is_calibrated_with_an_honest_interval(run: Run, tmp_path: Path) -> None:
    toml = f'[[sources]]\npath = "{(EXAMPLES / "handbook").as_posix()}"\nbase_url = "https://handbook.example"\n'
    plant(tmp_path, {"assay.toml": toml})
    run("ingest")
    said = run("calibrate", "--testset", str(EXAMPLES / "handbook.testset.yaml"), "--json")
    body = said.body
    assert body["topics"] == 36
    assert body["unanswerable_topics"] == 2
    assert body["abstention"]["threshold"] is None
    assert (
        (said.code == 3) == (body["separation"]["threshold"] is None) == (body["separation"]["auc_interval"][0] <= 0.5)
    )


def test_without_a_test_set_it_is_said_what_to_name(run: Run, tmp_path: Path) -> None:
    site(tmp_path, 2)
    assert run("ingest").code == 0
    said = run("calibrate")
    assert said.code == 2
    assert "--testset FILE" in said.err
