"""`assay validate`, and what its verdict means for `publish` and `promote`."""

import json
import shlex
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.folders import plant
from tests.integration.cli.commands import Run
from tests.integration.cli.conftest import PARTS
from tests.integration.web.conftest import running_server

from assay.app import Assay
from assay.app.evaluation import Evaluation

TESTSET = "topics.json"
ATTAINABLE = '\n[gate]\nprecision = "attainable"\nmin_precision_share = 0.6\nmin_mrr = 0.6\n'
"""Limits that six topics can prove."""


def _topic(part: str, **changes: object) -> dict[str, object]:
    judged = {"url": f"https://docs.example/{part}", "quote": f"The {part} is checked", "label": 2}
    return {"id": part, "text": f"When is the {part} checked?", "judgments": [judged], **changes}


def _write(folder: Path, *topics: dict[str, object], settings: str = "", file: str = TESTSET) -> None:
    """A test set, all parts if no topics are given, and settings behind those that are there."""
    plant(folder, {file: json.dumps({"name": "parts", "topics": list(topics) or [_topic(part) for part in PARTS]})})
    if settings:
        toml = folder / "assay.toml"
        toml.write_text(toml.read_text() + settings)


def _configured(folder: Path, *topics: dict[str, object], gate: str = ATTAINABLE) -> None:
    _write(folder, *topics, settings=f'{gate}\n[validation]\ntestset = "{TESTSET}"\n')


# --- a verdict and its report --------------------------------------------------------------------------------------


def test_a_candidate_is_measured_judged_and_reported(assay: Run, folder: Path) -> None:
    _write(folder, settings=ATTAINABLE)
    candidate = assay("ingest", "--json").body["generation"]
    said = assay("validate", "--testset", TESTSET, "--json")
    assert said.code == 0
    body = said.body
    assert (body["verdict"], body["total_queries"], body["mrr"]) == ("PASS", 6, 1.0)
    assert body["summary"].startswith("PASS: 6/6 queries (100%) achieved attainable precision@5 >= 0.80.")
    assert body["provenance"]["generation"] == candidate
    assert body["provenance"]["target"] == "candidate"
    written = sorted(path.name for path in (folder / "validation_results").iterdir())
    assert [name.rsplit(".", 1)[1] for name in written] == ["html", "json", "md", "xml"]
    assert len({name.rsplit(".", 1)[0] for name in written}) == 1
    report = json.loads(Path(folder / body["files"]["json"]).read_text(encoding="utf-8"))
    assert report["test_cases"] == body["test_cases"]
    suites = ET.fromstring((folder / body["files"]["xml"]).read_text(encoding="utf-8"))
    assert suites.get("failures") == "0"
    assert "<script" not in (folder / body["files"]["html"]).read_text(encoding="utf-8")


def test_the_text_has_the_measures_and_ends_with_the_verdict(assay: Run, folder: Path) -> None:
    _write(folder, settings=ATTAINABLE)
    assay("ingest")
    said = assay("validate", "--testset", TESTSET)
    assert said.code == 0
    assert "nDCG@10" in said.out
    assert "6 judgments: 6 exact" in said.out
    assert "PASS: 6/6 queries" in said.out.strip().splitlines()[-2] + said.out.strip().splitlines()[-1]


def test_what_is_live_is_validated_where_nothing_waits(assay: Run, folder: Path) -> None:
    _write(folder, settings=ATTAINABLE)
    live = assay("publish", "--json").body["generation"]
    body = assay("validate", "--testset", TESTSET, "--no-report", "--json").body
    assert (body["provenance"]["generation"], body["provenance"]["target"], body["files"]) == (live, "live", {})
    assert not (folder / "validation_results").exists()


def test_without_a_test_set_the_structure_alone_is_judged_and_the_verdict_says_so(assay: Run) -> None:
    assay("ingest")
    said = assay("validate", "--json")
    assert (said.code, said.body["verdict"], said.body["total_queries"]) == (0, "PASS", 0)
    assert any("only the structure was checked" in note for note in said.body["notes"])


def test_nothing_to_validate_is_said(assay: Run, folder: Path) -> None:
    _write(folder)
    said = assay("validate", "--testset", TESTSET)
    assert said.code == 2
    assert "`assay ingest`" in said.err or "`assay publish`" in said.err


def test_a_regression_fails_and_names_its_topics(assay: Run, folder: Path) -> None:
    _configured(folder)
    live = assay("publish", "--json").body
    assert live["verdict"] == "PASS"
    for part in PARTS[:3]:
        plant(folder, {f"docs/{part}.md": f"# The {part}\n\nNothing is said here of when or how the {part} runs.\n"})
    said = assay("publish", "--json")
    assert (said.code, said.body["verdict"], said.body["state"]) == (1, "FAIL", "rejected")
    lost = next(finding for finding in said.body["findings"] if finding["check"] == "judgments found")
    assert lost["count"] == 3
    checks = [finding["check"] for finding in said.body["findings"]]
    assert checks.index("fall in text") < checks.index("judgments found") < checks.index("MRR")
    assert checks[-1] == "known answers"
    named = lost["detail"].split("`")[1]
    repair = assay(*shlex.split(named)[1:])
    assert (repair.code, "3 orphaned" in repair.out) == (1, True)
    assert assay("search", "gripper", "--json").body["generation"] == live["generation"]


def test_worse_rankings_fail(assay: Run, folder: Path) -> None:
    wrong = [_topic(part, text=f"When is the {PARTS[place - 1]} checked?") for place, part in enumerate(PARTS)]
    every = [{"url": f"https://docs.example/{part}", "quote": f"The {part} is checked", "label": 0} for part in PARTS]
    for topic in wrong:
        own = topic["judgments"][0]["url"]  # type: ignore[index]  # a list of judgments
        topic["judgments"] = [*topic["judgments"], *(one for one in every if one["url"] != own)]  # type: ignore[misc]
    _configured(folder, *wrong)
    said = assay("publish", "--json")
    assert (said.code, said.body["verdict"], said.body["state"], said.body["promoted"]) == (1, "FAIL", "rejected", None)
    mrr = next(finding for finding in said.body["findings"] if finding["check"] == "MRR")
    assert mrr["outcome"] == "FAIL"
    assert mrr["examples"]
    assert said.body["files"]["html"]


@pytest.mark.usefixtures("published")
def test_an_undecided_publish_says_what_is_live(assay: Run, folder: Path) -> None:
    plant(folder, {"docs/lamp.md": "# The lamp\n\nThe lamp is new.\n"})
    _configured(folder, gate="")
    said = assay("publish")
    assert said.code == 3
    assert said.err.endswith("validates it again; the live generation is unchanged.\n")


@pytest.mark.parametrize(
    ("gate", "worse", "code", "told"),
    [
        (ATTAINABLE, False, 0, "PASS: the live generation passes the test set parts too.\n"),
        (ATTAINABLE, True, 1, "The live generation does not pass the test set parts; it stays live."),
        ("", False, 3, "The live generation could not be judged by the test set parts; it stays live."),
    ],
)
@pytest.mark.usefixtures("published")
def test_a_new_test_set_for_unchanged_pages_speaks_of_what_is_live(
    assay: Run, folder: Path, gate: str, worse: bool, code: int, told: str
) -> None:
    _configured(folder, *(_worse() if worse else []), gate=gate)
    said = assay("publish")
    assert said.code == code
    assert told in (said.out if code == 0 else said.err)
    assert "not promoted" not in said.err
    assert "assay rollback" not in said.err, "there is no earlier generation"


def test_hits_that_nobody_has_judged_leave_it_open_and_the_candidate_waits(assay: Run, folder: Path) -> None:
    _configured(folder, gate="")
    said = assay("publish")
    assert said.code == 3
    assert "`assay label`" in said.out
    assert said.err.endswith("It stays a candidate, and `assay promote` validates it again; nothing is live yet.\n")
    body = assay("validate", "--json").body
    assert (body["verdict"], body["summary"][:20]) == ("INCONCLUSIVE", "FAIL: inconclusive: ")
    assert body["unjudged"]


# --- what a PASS is worth ------------------------------------------------------------------------------------------


def test_a_pass_is_not_asked_for_twice(assay: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(folder, settings=ATTAINABLE)
    candidate = assay("ingest", "--json").body["generation"]
    assert assay("validate", "--testset", TESTSET).code == 0

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("it was validated again")

    monkeypatch.setattr(Evaluation, "validate", refuse)
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    here = ("--config", str(folder / "assay.toml"), "--data-dir", str(folder / ".assay"))
    body = assay("promote", "--json", *here).body  # by the test set that it was judged by
    assert (body["generation"], body["state"]) == (candidate, "live")


def test_a_changed_test_set_makes_an_old_pass_worthless(assay: Run, folder: Path) -> None:
    _write(folder, settings=ATTAINABLE)
    candidate = assay("ingest", "--json").body["generation"]
    assert assay("validate", "--testset", TESTSET).code == 0
    _write(folder, *(_topic(part, text="Where can I buy bread?") for part in PARTS))
    said = assay("promote", "--json")
    assert (said.code, said.body["error"]) == (3, "promotion_undecided")
    with Assay.open(_settings(folder)) as opened:
        stored = opened.parts.catalog.generation(candidate)
    assert stored.state.value == "candidate"
    assert stored.verdict is not None
    assert stored.verdict["outcome"] != "PASS"


def test_a_fail_cannot_be_passed_by_leaving_the_test_set_out(assay: Run, folder: Path) -> None:
    _write(folder, *(_topic(part, text="Where can I buy bread?") for part in PARTS))
    assay("ingest")
    assert assay("validate", "--testset", TESTSET).code in {1, 3}
    assert assay("promote", "--json").body["error"] == "promotion_undecided"
    (folder / TESTSET).unlink()
    gone = assay("promote")
    assert gone.code == 2
    assert TESTSET in gone.err
    assert assay("validate").code == 2


def test_other_limits_make_an_old_pass_worthless(assay: Run, folder: Path) -> None:
    _configured(folder)
    assay("ingest")
    assert assay("validate").code == 0
    _write(folder, settings="")
    toml = folder / "assay.toml"
    toml.write_text(toml.read_text().replace("min_mrr = 0.6", "min_mrr = 0.55"))
    assert assay("promote", "--json").body["state"] == "live"  # validated again, under the new limits


# --- limits of measures --------------------------------------------------------------------------------------------


def test_a_measure_can_have_a_limit(assay: Run, folder: Path) -> None:
    _configured(folder, gate=f'{ATTAINABLE}"ndcg_cut_10" = {{min = 0.5}}\n"Recall@3" = {{max_drop_vs_live = 0.02}}\n')
    body = assay("publish", "--json").body
    assert body["verdict"] == "PASS"
    assert {"nDCG@10", "Recall@3 against live"} <= {finding["check"] for finding in body["findings"]}
    assert "Recall@3" in body["measures"]
    plant(folder, {"docs/lamp.md": "# The lamp\n\nThe lamp is new.\n"})
    again = assay("publish", "--json").body
    against = next(finding for finding in again["findings"] if finding["check"] == "Recall@3 against live")
    assert (again["verdict"], against["value"]) == ("PASS", 0.0)


def test_a_limit_of_no_measure_is_refused_before_anything_is_built(assay: Run, folder: Path) -> None:
    _configured(folder, gate=f'{ATTAINABLE}"nDGC@10" = {{min = 0.5}}\n')
    said = assay("publish")
    assert said.code == 2
    assert "Did you mean nDCG@k?" in said.err
    assert not (folder / ".assay").exists()


# --- test sets that cannot be used ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("topics", "word"),
    [
        ([], "topic"),
        ([_topic("wheel"), _topic("wheel")], "wheel"),
        ([_topic("wheel", judgments=[{"url": "https://docs.example/wheel", "label": 3}])], "label"),
        ([_topic("wheel", txet="x")], "txet"),
    ],
    ids=["empty", "twice", "label", "unknown key"],
)
def test_a_test_set_that_cannot_be_used_is_refused_before_anything_is_built(
    assay: Run, folder: Path, topics: list[dict[str, object]], word: str
) -> None:
    plant(folder, {TESTSET: json.dumps({"name": "parts", "topics": topics})})
    said = assay("publish", "--testset", TESTSET)
    assert said.code == 2
    assert TESTSET in said.err
    assert word in said.err
    assert not (folder / ".assay").exists()


def test_a_quote_that_is_nowhere_and_a_topic_of_zeros_are_named(assay: Run, folder: Path) -> None:
    nowhere = _topic("lamp", judgments=[{"url": "https://docs.example/wheel", "quote": "a lamp of brass", "label": 2}])
    zeros = _topic("zeros", judgments=[{"url": "https://docs.example/wheel", "quote": "checked every", "label": 0}])
    _configured(folder, *(_topic(part) for part in PARTS), nowhere, zeros)
    body = assay("publish", "--json").body
    assert body["verdict"] == "INCONCLUSIVE"
    unknown = next(finding for finding in body["findings"] if finding["check"] == "known answers")
    assert sorted(unknown["examples"]) == ["lamp", "zeros"]


# --- a running Assay -----------------------------------------------------------------------------------------------


def test_a_running_assay_is_validated_by_its_address(assay: Run, folder: Path, tmp_path: Path) -> None:
    _configured(folder)
    live = assay("publish", "--data-dir", "index", "--json").body["generation"]
    with running_server(folder) as server:
        url = f"http://127.0.0.1:{server.port}"
        known = assay("validate", "--url", url, "--data-dir", "index", "--json")
        elsewhere = assay("validate", "--url", url, "--data-dir", str(tmp_path / "none"), "--json")
        shown = assay("validate", "--url", url, "--data-dir", str(tmp_path / "none"))
    assert (known.code, known.body["provenance"]["generation"]) == (0, live)
    assert "0 pages" not in shown.out
    assert known.body["total_queries"] == 6
    assert "nDCG@10" in known.body["measures"]
    assert (elsewhere.code, elsewhere.body["mrr"]) == (0, 1.0)
    assert "nDCG@10" not in elsewhere.body["measures"]
    assert any("Only hits are known" in note for note in elsewhere.body["notes"])
    away = assay("validate", "--url", url)
    assert away.code == 4
    assert "did not answer" in away.err


def _settings(folder: Path):  # noqa: ANN202
    from assay.settings import load_settings

    return load_settings(folder / "assay.toml")


# --- ways around a FAIL --------------------------------------------------------------------------------------------


def _worse() -> list[dict[str, object]]:
    """Topics whose answer is another page than the one that is found first, which is judged not to be it."""
    topics = []
    for place, part in enumerate(PARTS):
        others = [one for one in PARTS if one != part]
        judged = [
            {"url": f"https://docs.example/{one}", "quote": f"The {one} is checked", "label": 0} for one in others
        ]
        right = {"url": f"https://docs.example/{part}", "quote": f"The {part} is checked", "label": 2}
        asked = f"When is the {PARTS[place - 1]} checked?"
        topics.append(_topic(part, text=asked, judgments=[right, *judged]))
    return topics


def test_a_fail_stays_one_where_the_test_set_is_left_out(assay: Run, folder: Path) -> None:
    _write(folder, *_worse(), settings=ATTAINABLE)
    assay("ingest")
    assert assay("validate", "--testset", TESTSET).code == 1
    assert assay("validate", "--json").body["verdict"] == "FAIL"
    assert assay("promote", "--json").body["error"] == "promotion_refused"
    published = assay("publish", "--json").body  # the candidate that waits
    assert (published["verdict"], published["promoted"]) == ("FAIL", None)
    again = assay("publish", "--json").body  # built anew, with the same content
    assert (again["verdict"], again["promoted"]) == ("FAIL", None)


def test_a_pass_speaks_of_the_search_settings_too(assay: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(folder, settings=ATTAINABLE)
    assay("ingest")
    assert assay("validate", "--testset", TESTSET).code == 0
    monkeypatch.setenv("ASSAY_SEARCH__THRESHOLD", "0.99")
    refused = assay("promote", "--json")
    assert (refused.code, refused.body["error"]) == (1, "promotion_refused")


def test_what_is_live_is_validated_by_a_test_set_that_it_has_no_pass_by(assay: Run, folder: Path) -> None:
    live = assay("publish", "--json").body["generation"]
    _write(folder, *_worse(), settings=ATTAINABLE)
    said = assay("publish", "--testset", TESTSET, "--json")
    assert (said.code, said.body["verdict"], said.body["state"], said.body["generation"]) == (1, "FAIL", "live", live)
    _write(folder)
    assert assay("publish", "--testset", TESTSET, "--json").body["verdict"] == "PASS"


def test_going_back_to_what_failed_since_is_possible_and_said(assay: Run, folder: Path) -> None:
    _write(folder, *_worse(), settings=ATTAINABLE)
    assay("publish")
    assert assay("validate", "--testset", TESTSET).code == 1
    plant(folder, {"docs/lamp.md": "# The lamp\n\nThe lamp is new.\n"})
    assert assay("publish", "--no-testset").code == 0
    back = assay("rollback")
    assert back.code == 0
    assert "It did not pass its last validation: FAIL" in back.err
