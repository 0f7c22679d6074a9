"""`assay compare` over the example handbook: reports, generations, settings, and its exit codes."""

import json
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.integration.cli.commands import Run, runner

TESTS = str(ROOT / "examples" / "handbook.testset.yaml")


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the handbook as its candidate; no test changes it."""
    folder = tmp_path_factory.mktemp("handbook")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        from assay.app import Assay
        from assay.settings import load_settings

        sources = [{"path": ROOT / "examples" / "handbook", "base_url": "https://handbook.example"}]
        with Assay.open(load_settings(None, {"sources": sources})) as assay:
            assay.builds.ingest()
    return folder


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], handbook: Path) -> Run:
    return runner(monkeypatch, capsys, handbook)


def test_two_modes_are_compared_with_interval_p_and_conclusion(assay: Run) -> None:
    body = assay("compare", "mode=sparse", "mode=dense", "--testset", TESTS, "--json").body
    found = body["measures"]["nDCG@10"]
    assert found["difference"] == pytest.approx(found["b"] - found["a"])
    assert found["interval"]["low"] <= found["difference"] <= found["interval"]["high"]
    assert found["p"] <= found["adjusted_p"] < 0.05
    assert body["differing"] == {"search.mode": {"a": "sparse", "b": "dense"}}
    assert body["topics"] == body["a"]["topics"] == found["topics"]


def test_a_report_and_the_generation_it_is_of_are_equal(assay: Run, tmp_path: Path) -> None:
    report = assay("validate", "--testset", TESTS, "--output-dir", str(tmp_path), "--json").body["files"]["json"]
    body = assay("compare", report, "candidate", "--testset", TESTS, "--json").body
    assert {one["conclusion"] for one in body["measures"].values()} == {"equal"}
    assert body["changed"] == []
    assert body["warnings"] == []


def test_two_reports_are_compared_without_an_index_or_a_test_set(
    assay: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = assay("validate", "--testset", TESTS, "--output-dir", str(tmp_path), "--json").body["files"]["json"]
    monkeypatch.chdir(tmp_path)
    said = assay("compare", report, report)
    assert said.code == 0
    assert "the same for every topic" in said.out


def test_settings_in_a_file_are_those_of_a_line(assay: Run, tmp_path: Path) -> None:
    file = tmp_path / "weights.toml"
    file.write_text('[search]\nmode = "hybrid"\ndense_weight = 1.5\n')
    body = assay("compare", str(file), "mode=hybrid,dense_weight=1.5", "--testset", TESTS, "--json").body
    assert {one["conclusion"] for one in body["measures"].values()} == {"equal"}
    assert body["differing"] == {}


def test_the_terminal_shows_the_picture_the_topics_and_the_conclusion(assay: Run) -> None:
    said = assay("compare", "sparse", "hybrid", "--testset", TESTS, "--topics", "3")
    assert "← B worse" in said.out
    assert "●" in said.out
    assert said.out.count("best hit") == 1
    assert "latency: A p50" in said.out
    assert "nDCG@10: hybrid is better" in said.out


def test_worse_ends_with_1_where_that_was_asked(assay: Run, tmp_path: Path) -> None:
    report = assay("validate", "--testset", TESTS, "--output-dir", str(tmp_path), "--json").body["files"]["json"]
    fields = json.loads(Path(report).read_text())
    for case in fields["test_cases"]:
        case["measures"] = {name: value and value / 2 for name, value in case["measures"].items()}
        case["measures"]["judged@5"] = 1.0
    worse = tmp_path / "worse.json"
    worse.write_text(json.dumps(fields))
    assert assay("compare", report, str(worse)).code == 0
    assert assay("compare", report, str(worse), "--fail-if-worse", "nDCG@10").code == 1
    assert assay("compare", str(worse), report, "--fail-if-worse", "any").code == 0


def test_topics_that_lost_their_answer_are_named_and_end_with_1(assay: Run, tmp_path: Path) -> None:
    report = assay("validate", "--testset", TESTS, "--output-dir", str(tmp_path), "--json").body["files"]["json"]
    fields = json.loads(Path(report).read_text())
    fields["provenance"]["generation"] = "another"
    answered = [case for case in fields["test_cases"] if case["rank_of_best"] == 1]
    for case in answered[:9]:
        case["rank_of_best"] = None
    worse = tmp_path / "worse.json"
    worse.write_text(json.dumps(fields))
    said = assay("compare", report, str(worse), "--fail-if-worse", "any")
    assert said.code == 1
    assert answered[0]["id"] in said.out
    assert "lost the answers" in said.err
    assert assay("compare", report, str(worse), "--json").body["lost_topics"]["count"] == 9


@pytest.mark.parametrize(("named", "is_measure"), [("AP", True), ("no-such-measure", False)])
def test_the_measure_that_may_fail_is_compared_or_refused_first(assay: Run, named: str, is_measure: bool) -> None:
    said = assay("compare", "sparse", "dense", "--testset", TESTS, "--fail-if-worse", named, "--json")
    body = json.loads(said.out)  # one object
    assert ("error" in body, said.code == 2) == (not is_measure, not is_measure)
    assert not is_measure or named in json.dumps(body["measures"])


def test_worse_for_want_of_labels_is_undecided(assay: Run) -> None:
    said = assay("compare", "hybrid", "dense", "--testset", TESTS, "--fail-if-worse", "any")
    assert said.code == 3
    assert "too many of its hits are unjudged" in said.err


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("no-such-thing", "neither a generation nor a file nor a setting"),
        ("reports/none.json", "There is no file"),
        ("mode=fuzzy", "mode = 'fuzzy'"),
        ("mode=hybrid,dense_wait=2", "did you mean dense_weight?"),
        ("mode=", "is not a setting"),
        ("dense_weight=nan", "dense_weight"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_words(assay: Run, named: str, told: str) -> None:
    said = assay("compare", "candidate", named, "--testset", TESTS)
    assert said.code == 2
    assert told in " ".join(said.err.split())


def test_the_test_set_that_judged_last_is_used_and_named(assay: Run, tmp_path: Path) -> None:
    assay("validate", "--testset", TESTS, "--output-dir", str(tmp_path), "--json")
    body = assay("compare", "sparse", "dense", "--json").body
    assert body["a"]["test_set"] == "handbook"
    assert any(f"{TESTS} of the last verdict was used" in warning for warning in body["warnings"])


def test_without_a_test_set_there_is_nothing_to_measure_with(assay: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_VALIDATION__TESTSET", "false")
    said = assay("compare", "mode=sparse", "mode=dense")
    assert said.code == 2
    assert "needs a test set" in said.err


def test_a_run_file_is_measured_with_the_labels_of_the_test_set(assay: Run, tmp_path: Path) -> None:
    report = assay("validate", "--testset", TESTS, "--output-dir", str(tmp_path), "--json").body
    lines = [
        f"{case['id']} Q0 {chunk} {rank} {10 - rank} mine"
        for case in report["test_cases"]
        for rank, chunk in enumerate(case["chunk_ids"], start=1)
    ]
    run = tmp_path / "mine.run"
    run.write_text("\n".join(lines) + "\n")
    body = assay("compare", report["files"]["json"], str(run), "--testset", TESTS, "--measure", "P@5", "--json").body
    assert body["measures"]["P@5"]["conclusion"] == "equal"
    assert body["b"]["latency"] is None


def test_a_run_of_other_documents_is_refused(assay: Run, tmp_path: Path) -> None:
    run = tmp_path / "other.run"
    run.write_text("nodes-talk Q0 doc-1 1 0.5 other\n")
    said = assay("compare", "candidate", str(run), "--testset", TESTS)
    assert said.code == 2
    assert "none of its documents is a chunk" in said.err
