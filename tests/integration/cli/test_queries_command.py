"""`assay queries`: from what readers search to a labelled test set and a verdict, and what the lists say."""

import io
import sqlite3
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from benchmarks import query_log as simulation
from starlette.testclient import TestClient
from tests.copies import copy_tree
from tests.integration.cli.commands import Run, runner

from assay.adapters.query_log import writer
from assay.app import Assay
from assay.app.testsets import load_test_set
from assay.model.queries import LoggedQuery
from assay.model.ranking import Filters
from assay.web.application import create_app

SEARCHES = 80
HOSTILE = "\x1b]0;owned\x07 [red]gripper[/red] <b>"


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The handbook, published, with the log of what seeded readers searched."""
    folder = simulation.write_folder(tmp_path_factory.mktemp("logged"))
    texts = [topic.text for topic in simulation.handbook().topics if topic.text.strip() and topic.expects_answer]
    with simulation.opened(folder, validation={"testset": False}) as assay, pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "FLUSH_SECONDS", 0.01)
        assert assay.publish().promoted
        labels = simulation.judged_chunks(assay)
        with TestClient(create_app(assay)) as client:
            for number, reader in enumerate(simulation.readers(texts, SEARCHES)):
                agent = {"User-Agent": f"reader {number}"}
                simulation.search(
                    reader, labels, lambda path, body, agent=agent: client.post(path, json=body, headers=agent).json()
                )
        assay.parts.query_writer.close()
    return folder


@pytest.fixture
def site(logged: Path, tmp_path: Path) -> Path:
    return copy_tree(logged, tmp_path / "site")


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], site: Path) -> Run:
    """Runs commands in a copy of it."""
    return runner(monkeypatch, capsys, site)


def add(folder: Path, *queries: LoggedQuery) -> None:
    with simulation.opened(folder) as assay:
        assay.parts.query_log.append(queries, [], str)


def query(text: str, number: int = 1, age: timedelta = timedelta()) -> LoggedQuery:
    at = datetime.now(UTC) - age
    return LoggedQuery(f"{number:032x}", at, text, "/v1/search", Filters(versions=("9",)), "g", ("a",), answered=True)


def test_the_way_from_a_log_to_a_verdict(assay: Run, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = assay("queries", "top", "--json", "--limit", "100").body
    assert top["totals"]["searches"] == SEARCHES  # whatever was typed before
    assert 0.5 < top["totals"]["click_rate"] < 0.8
    assert all(one["text"].count("@") == 0 for one in top["listed"])
    exported = assay("queries", "export", "readers.testset.yaml", "--limit", "20", "--json").body
    texts = [topic.text for topic in load_test_set(site / "readers.testset.yaml").topics]
    assert len(exported["topics"]) == len(texts) > 15
    assert not set(texts) & set(simulation.NO_ANSWER)
    assert not [text for text in texts if "[" in text]

    with simulation.opened(site) as opened:
        labels = simulation.judged_chunks(opened)
    waiting = assay("label", "--testset", "readers.testset.yaml", "--json").body["to_label"]
    monkeypatch.setattr(sys, "stdin", io.StringIO(simulation.keys_for(waiting, labels)))
    assert assay("label", "--testset", "readers.testset.yaml").code == 0
    verdict = assay("validate", "--testset", "readers.testset.yaml", "--json")
    assert (verdict.code, verdict.body["verdict"]) == (0, "PASS")


def test_queries_without_answers_and_without_clicks_are_listed(assay: Run) -> None:
    said = assay("queries", "no-results")
    assert simulation.NO_ANSWER[1] in said.out
    assert "[number]" in said.out
    assert f"{SEARCHES} searches of" in said.out
    listed = assay("queries", "no-clicks", "--json").body["listed"]
    assert all(one["clicked"] == 0 and one["searches"] > one["unanswered"] for one in listed)


def test_queries_are_added_once_to_the_test_set_that_judges_candidates(assay: Run, site: Path) -> None:
    toml = (site / "assay.toml").read_text(encoding="utf-8")
    (site / "assay.toml").write_text(f'{toml}[validation]\ntestset = "own.yaml"\n', encoding="utf-8")
    text = "# ours\ntopics:\n- id: walk\n  text: walking # by hand\n"
    (site / "own.yaml").write_text(text, encoding="utf-8")
    masked = [replace(query("whose arm", number), filters=Filters(sections=("[email]",))) for number in (3, 4)]
    add(site, query("Gripper: version 9?", 1), query("gripper: version 9", 2), *masked)
    said = assay("queries", "export", "--at-least", "2", "--limit", "1000")
    assert "topics added to own.yaml" in said.err.replace(str(site) + "/", "")
    after = (site / "own.yaml").read_text(encoding="utf-8")
    assert after.startswith(text)
    assert '- id: gripper-version-9\n  text: "Gripper: version 9?"\n' in after
    assert "whose arm" not in after
    (own,) = [topic for topic in load_test_set(site / "own.yaml").topics if topic.id == "gripper-version-9"]
    assert own.filters == Filters(versions=("9",))
    again = assay("queries", "export", "--at-least", "2", "--limit", "1000")
    assert "0 topics added" in again.err
    assert (site / "own.yaml").read_text(encoding="utf-8") == after


def test_the_doctor_counts_the_searches_that_are_kept(assay: Run) -> None:
    checks = {one["check"]: one for one in assay("doctor", "--json").body["checks"]}
    assert checks["log of queries"]["message"] == f"{SEARCHES} searches of the last 30 days."


def test_searches_are_forgotten_by_text_and_by_age(assay: Run, site: Path) -> None:
    add(site, query("about ada", 1), query("old one", 2, timedelta(days=20)))
    assert assay("queries", "top", "--days", "10", "--json").body["totals"]["searches"] == SEARCHES + 1
    assert assay("queries", "forget", "ADA").out == "0 searches are deleted.\n"
    assert assay("queries", "forget", "ADA", "--containing").out == "1 search is deleted.\n"
    assert assay("queries", "forget", "--older-than", "10", "--json").body == {"deleted": 1}
    assert assay("queries", "forget").code == 2
    assert assay("queries", "forget", "x", "--older-than", "1").code == 2
    assert assay("queries", "forget", "--older-than", "999999").code == 2
    add(site, query("when the clock was wrong", 3, -timedelta(days=400)))
    assert assay("queries", "forget", "--older-than", "0").out == f"{SEARCHES + 1} searches are deleted.\n"
    assert "No searches are logged yet" in assay("queries", "top").err


def test_a_hostile_query_does_nothing_to_the_terminal(assay: Run, site: Path) -> None:
    add(site, query(HOSTILE, 1), query("a" * 2_000, 2))
    said = assay("queries", "top", "--limit", "1000")
    assert "\x1b" not in said.out
    assert "[red]gripper" in said.out


def test_without_a_log_the_lists_say_how_to_begin_one(assay: Run, site: Path) -> None:
    (site / ".assay" / "queries.sqlite").unlink()
    toml = (site / "assay.toml").read_text(encoding="utf-8")
    (site / "assay.toml").write_text(toml.replace("log = true", "log = false"), encoding="utf-8")
    said = assay("queries", "top")
    assert (said.code, "[queries] log = true" in said.err) == (0, True)
    failed = assay("queries", "export", "x.yaml")
    assert (failed.code, "[queries] log = true" in failed.err) == (2, True)
    assert not (site / "x.yaml").exists()


def test_a_damaged_log_is_an_error_of_the_log(assay: Run, site: Path) -> None:
    (site / ".assay" / "queries.sqlite").write_bytes(b"no database at all")
    for said in (assay("queries", "top"), assay("doctor")):
        assert said.code not in {0, 5}
        assert "The log of queries" in said.err + said.out


def test_the_python_api_counts_and_forgets_too(site: Path) -> None:
    with simulation.opened(site) as opened:
        report = opened.queries.report(days=1, limit=3)
        assert (report.totals.searches, len(report.queries)) == (SEARCHES, 3)
        assert opened.queries.forget(report.queries[0].text) == report.queries[0].searches
        assert isinstance(opened, Assay)
    with sqlite3.connect(site / ".assay" / "queries.sqlite") as log:
        assert log.execute("SELECT count(*) FROM query_log WHERE client IS NOT NULL").fetchone() == (0,)
