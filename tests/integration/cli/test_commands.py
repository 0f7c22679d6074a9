"""The commands: what they print, in which form, and with which exit code."""

import json
import logging
import re
import tomllib
from pathlib import Path

import pytest
from tests.folders import plant
from tests.integration.cli.commands import Run

from assay.adapters.embedders.static import StaticEmbedder
from assay.app import Assay
from assay.errors import EmbedderUnavailable, VectorStoreError
from assay.model.evaluation import Finding, Outcome
from assay.release.promotion import GenerationLifecycle
from assay.settings import load_settings
from assay.validation.structure import checks


def _change(folder: Path, text: str = "The lamp is new.") -> None:
    plant(folder, {"docs/lamp.md": f"# The lamp\n\n{text}\n"})


def _break_pages(folder: Path, *parts: str) -> None:
    plant(folder, {f"docs/{part}.md": b"\xff\xfe" for part in parts})


# --- from nothing to an answer -------------------------------------------------------------------------------------


def test_a_folder_becomes_an_answer(assay: Run) -> None:
    published = assay("publish")
    assert published.code == 0
    assert "6 pages, 6 chunks; 6 embedded, 0 reused" in published.out
    assert "PASS: all" in published.out
    assert "is live" in published.out
    found = assay("search", "when is the gripper checked")
    assert found.code == 0
    assert "1. The gripper" in found.out
    assert "https://docs.example/gripper" in found.out


@pytest.mark.parametrize("verbose", [(), ("--verbose",)])
def test_what_only_informs_is_no_warning_and_no_message_names_a_logger(
    assay: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, verbose: tuple[str, ...]
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    plant(folder, {"repo/mkdocs.yml": "", "repo/docs/a.md": '# A\n\nText.\n\n--8<-- "none.md"\n'})
    said = assay(*verbose, "ingest", "repo/docs", "--convention", "mkdocs", "--dry-run").err.splitlines()
    assert any(line.startswith("docs: Addresses are those of the MkDocs site in ") for line in said)
    assert any(line.startswith("Warning: docs: No base URL is known") for line in said)
    assert any(line.startswith("Warning: docs: includes not found: 1. ") for line in said)
    assert not any("assay." in line or "WARNING" in line for line in said)


def test_ingest_builds_a_candidate_and_says_how_it_goes_live(assay: Run) -> None:
    said = assay("ingest")
    assert said.code == 0
    assert "`assay promote` checks it and makes it live" in said.out
    assert assay("search", "gripper").code == 2
    assert assay("promote").code == 0
    assert assay("search", "gripper").code == 0


def test_a_candidate_can_be_searched_before_it_goes_live(assay: Run, folder: Path) -> None:
    assert assay("search", "lamp", "--generation", "candidate").code == 2
    first = assay("publish", "--json").body["generation"]
    nothing_waits = assay("search", "lamp", "--generation", "candidate")
    assert nothing_waits.code == 2
    assert "There is no candidate." in nothing_waits.err
    _change(folder)
    second = assay("ingest", "--json").body["generation"]
    asked = ("search", "new lamp", "--json")
    for named, searched in ((), first), (("--generation", "candidate"), second), (("--generation", first), first):
        body = assay(*asked, *named).body
        assert body["generation"] == searched
        assert any("The lamp is new." in hit["content"] for hit in body["results"]) == (searched == second)
    assert assay(*asked, "--generation", "20000101-000000-000000").body["error"] == "not_found"


def test_going_back_and_forth(assay: Run, folder: Path) -> None:
    first = assay("publish", "--json").body["generation"]
    _change(folder)
    second = assay("publish", "--json").body["generation"]
    assert assay("rollback", "--json").body["generation"] == first
    listed = assay("generations", "--json").body["generations"]
    assert [(one["generation"], one["state"], one["live"]) for one in listed] == [
        (second, "retired", False),
        (first, "live", True),
    ]
    assert assay("promote", second, "--json").body["state"] == "live"


@pytest.mark.usefixtures("published")
def test_the_table_of_generations_has_one_line_each(assay: Run, folder: Path) -> None:
    _change(folder)
    assay("publish")
    lines = assay("generations").out.splitlines()
    assert lines[0].split()[:3] == ["generation", "state", "pages"]
    assert [line.split()[1] for line in lines[1:] if line[:2] == "20"] == ["live", "retired"]


def test_a_source_on_the_command_line_takes_the_place_of_those_in_the_file(assay: Run, folder: Path) -> None:
    plant(folder, {"other/only.md": "# Only\n\nOnly this page.\n"})
    body = assay("ingest", "other", "--base-url", "https://other.example", "--json").body
    assert body["documents"] == 1


def test_a_folder_that_the_file_speaks_of_keeps_what_is_said_of_it_there(assay: Run, folder: Path) -> None:
    assay("publish", str(folder / "docs"))
    assert assay("search", "gripper", "--json").body["results"][0]["url"] == ("https://docs.example/gripper")


@pytest.mark.usefixtures("published")
def test_a_folder_without_an_address_never_takes_the_place_of_pages_that_have_one(
    assay: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(folder, {"other/wheel.md": "# The wheel\n\nThe wheel turns.\n"})
    monkeypatch.setenv("ASSAY_GATE__MAX_PAGE_FALL", "1")
    said = assay("publish", "other")
    assert said.code == 1
    assert "--base-url" in said.out
    assert assay("search", "gripper", "--json").body["results"][0]["url"].startswith("https://docs.example/")


def test_pages_without_an_address_go_live_first_with_a_word_that_their_links_lead_nowhere(
    assay: Run, folder: Path
) -> None:
    (folder / "assay.toml").unlink()
    word = "6 pages have no real address: links of hits do not work until --base-url is set."
    assert assay("ingest", "docs").code == 0
    assert word in " ".join(assay("promote").out.split())
    assert word in assay("publish", "docs", "--json").body["notes"]
    given = assay("publish", "docs", "--base-url", "https://docs.example")
    assert given.code == 0
    assert "no real address" not in given.out


def test_other_pages_take_the_place_of_the_live_ones_only_when_that_is_said(assay: Run, folder: Path) -> None:
    live = assay("publish", "--json").body["generation"]
    plant(folder, {f"other/page-{n}.md": f"# Page {n}\n\nWhat page {n} says.\n" for n in range(9)})
    other = ("publish", "other", "--base-url", "https://docs.example", "--convention", "plain", "--name", "docs")
    said = assay(*other, "--json").body
    assert (said["verdict"], said["promoted"], said["added"], said["removed"]) == ("FAIL", None, 9, 6)
    assert "6 of the live generation's 6 pages are gone" in said["summary"]
    assert "--allow-removals" in said["summary"]
    assert assay("search", "gripper", "--json").body["generation"] == live
    assert assay(*other, "--allow-removals").code == 0
    assert assay("search", "page 7", "--json").body["results"][0]["url"] == "https://docs.example/page-7"
    back = assay("publish")
    assert back.code == 1
    assert "9 of the live generation's 9 pages are gone" in back.out


@pytest.mark.usefixtures("published")
def test_a_check_shows_five_of_what_it_found_in_text_and_fifty_in_json(assay: Run, folder: Path) -> None:
    plant(folder, {"other/only.md": "# Only\n\nOnly this page.\n"})
    other = ("publish", "other", "--base-url", "https://docs.example")
    said = assay(*other)
    told = said.out[said.out.index("✗ fall in pages") :]
    told = told[: told.index("✗", 1)]
    assert told.count("https://docs.example/") == 5
    assert "and 1 more (--json names" in told
    (found,) = [one for one in assay(*other, "--json").body["findings"] if one["check"] == "fall in pages"]
    assert (len(found["examples"]), found["count"]) == (6, 6)


@pytest.mark.usefixtures("published")
def test_a_site_that_moves_is_asked_whether_that_was_meant(assay: Run) -> None:
    moved = ("docs", "--base-url", "https://new.example")
    assert assay("ingest", *moved).code == 0
    said = assay("promote")
    assert said.code == 1
    assert "now begin with https://new.example/, and began with https://docs.example/ before" in " ".join(
        said.err.split()
    )
    assert assay("promote", "--allow-removals").code == 0


def test_pages_that_get_another_address_are_neither_changed_nor_removed(assay: Run, folder: Path) -> None:
    live = assay("publish", "--json").body["generation"]
    (folder / "docs" / "wheel.md").unlink()
    plant(folder, {"docs/arm.md": "# The arm\n\nIt turns.\n"})
    moved = ("ingest", "docs", "--base-url", "https://new.example")
    preview = assay(*moved, "--dry-run").out
    assert "Pages: 1 new, 0 changed, 5 moved, 0 unchanged, 1 removed" in preview
    assert "Moved: https://docs.example/battery → https://new.example/battery" in preview
    assert [line for line in preview.splitlines() if line.startswith("Removed:")] == [
        "Removed: https://docs.example/wheel"
    ]
    body = assay(*moved, "--json").body
    assert {name: body[name] for name in ("added", "changed", "moved", "kept", "removed", "against")} == {
        "added": 1,
        "changed": 0,
        "moved": 5,
        "kept": 0,
        "removed": 1,
        "against": live,
    }
    assert {"from": "https://docs.example/gripper", "to": "https://new.example/gripper"} in body["moved_pages"]


@pytest.mark.usefixtures("published")
def test_the_generation_that_pages_are_held_against_is_named_where_a_candidate_waits(assay: Run, folder: Path) -> None:
    _change(folder)
    first = assay("ingest")
    assert "\nPages: " in first.out
    waiting = assay("generations", "--json").body["generations"][0]["generation"]
    plant(folder, {"docs/arm.md": "# The arm\n\nIt turns.\n"})
    assert f"Pages compared with the earlier candidate {waiting}: 1 new, 0 changed" in assay("ingest").out


@pytest.mark.usefixtures("published")
def test_a_removal_that_is_allowed_lifts_no_other_limit(assay: Run, folder: Path) -> None:
    (folder / "assay.toml").write_text((folder / "assay.toml").read_text() + "\n[gate]\nmax_failed_pages = 0.1\n")
    _break_pages(folder, "wheel")
    said = assay("publish", "--allow-removals", "--json").body
    assert said["verdict"] == "FAIL"
    assert "limit 10%" in said["summary"]


def test_the_data_directory_can_be_named(assay: Run, folder: Path) -> None:
    assert assay("publish", "--data-dir", "elsewhere").code == 0
    assert (folder / "elsewhere" / "catalog.sqlite").is_file()
    assert not (folder / ".assay").exists()
    assert assay("search", "gripper", "--data-dir", "elsewhere").code == 0


# --- one JSON document ---------------------------------------------------------------------------------------------


def test_files_that_are_no_pages_are_reported(assay: Run, folder: Path) -> None:
    for name in ("a.rst", "b.png", "node_modules/p/README.md", ".github/c.md"):
        (folder / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "docs" / name).write_text("")
    said = assay("ingest")
    assert "Not read, unsupported formats: 1 .rst" in said.out
    assert "Left out: .github/c.md: in .github/, a hidden folder" in said.out
    for body in (assay("ingest", "--dry-run", "--json").body, assay("publish", "--json").body):
        assert body["unread"] == {"documents": {"rst": 1}, "files": {"png": 1, "rst": 1}, "folders": ["node_modules"]}
        assert body["excluded"] == [{"page": ".github/c.md", "reason": "in .github/, a hidden folder"}]


def test_a_folder_of_another_generator_is_refused_as_wrong_use(assay: Run, folder: Path) -> None:
    (folder / "docs").rename(folder / "manual")
    (folder / "manual" / ".vitepress").mkdir()
    (folder / "manual" / ".vitepress" / "config.mjs").write_text("")
    said = assay("publish", "manual", "--json")
    assert said.code == 2
    assert "written for VitePress (.vitepress/config.mjs)" in said.body["message"]
    assert "npx vitepress build" in said.body["hint"]
    assert assay("publish", "manual", "--convention", "plain").code == 0


def test_ingest_reports_in_json(assay: Run, folder: Path) -> None:
    _break_pages(folder, "wheel")
    body = assay("ingest", "--json").body
    asked = ("state", "documents", "chunks", "embedded", "reused", "removed", "built", "unchanged")
    assert {key: body[key] for key in asked} == {
        "state": "candidate",
        "documents": 5,
        "chunks": 5,
        "embedded": 5,
        "reused": 0,
        "removed": 0,
        "built": True,
        "unchanged": False,
    }
    assert [failure["page"] for failure in body["failed"]] == ["wheel.md"]
    assert "UTF-8" in body["failed"][0]["reason"]
    assert body["seconds"] >= 0


def test_publish_reports_in_json(assay: Run) -> None:
    body = assay("publish", "--json").body
    assert (body["verdict"], body["promoted"], body["state"]) == ("PASS", body["generation"], "live")
    assert body["summary"].startswith("PASS: ")
    assert {finding["outcome"] for finding in body["findings"]} == {"PASS"}


@pytest.mark.usefixtures("published")
def test_an_explained_search_shows_the_sum_and_the_terms_of_each_score(assay: Run) -> None:
    said = assay("search", "when is the gripper checked", "--top-k", "2", "--explain")
    assert re.search(r"score \d\.\d{4} = \d\.\d{4} keywords \+ \d\.\d{4} dense\n", said.out)
    assert re.search(r"\d\.\d{3} = idf \d\.\d{3} × \d\.\d{3}  gripper\n", said.out)
    explained = assay("search", "gripper", "--explain", "--json").body
    plain = assay("search", "gripper", "--json").body
    assert explained["ranking"]["results"] == plain["results"]
    assert [each["score"] for each in explained["hits"]] == [
        pytest.approx(each["rank_score"]) for each in plain["results"]
    ]


@pytest.mark.usefixtures("published")
def test_a_search_answers_in_json_as_the_http_route_does(assay: Run) -> None:
    body = assay("search", "gripper", "--top-k", "2", "--mode", "sparse", "--json").body
    assert (body["query"], body["mode"], len(body["results"])) == ("gripper", "sparse", 1)
    first = body["results"][0]
    assert (first["rank"], first["url"]) == (1, "https://docs.example/gripper")
    assert first["content"].endswith("The gripper is checked every 7 days.")


def test_progress_and_warnings_keep_off_standard_output(assay: Run) -> None:
    published = assay("publish", "--json")
    assert published.body
    assert "Reading and chunking pages" in published.err
    found = assay("search", "the and of")
    assert "no words for keyword search" in found.err
    assert "no words" not in found.out


@pytest.mark.usefixtures("published")
def test_no_hit_is_an_answer_and_no_failure(assay: Run) -> None:
    said = assay("search", "gripper", "--source", "elsewhere")
    assert (said.code, "Nothing was found" in said.out) == (0, True)
    assert assay("search", "gripper", "--source", "elsewhere", "--json").body["results"] == []
    assert "A lower --threshold" in assay("search", "gripper", "--url-prefix", "https://elsewhere.example").out


def test_a_search_in_a_version_that_does_not_exist_names_those_that_do(assay: Run, folder: Path) -> None:
    site = "export default {url: 'https://docs.example', baseUrl: '/', presets: [['classic', {}]]};"
    plant(folder, {"site/docusaurus.config.js": site, "site/versions.json": '["2.0"]'})
    plant(folder, {f"site/{one}/a.md": "# Lamp\n\nText." for one in ("docs", "versioned_docs/version-2.0")})
    assert assay("ingest", "site", "--base-url", "https://docs.example").code == 0
    search = ("search", "lamp", "--generation", "candidate")
    unknown = assay(*search, "--version", "current", "--locale", "xx", "--source", "elsewhere").out
    assert "The index has the versions 2.0, next. No page has a locale. The index has the source site." in unknown
    assert "--threshold" not in unknown
    assert "The index has the" not in assay(*search, "--version", "2.0", "--url-prefix", "https://e.example").out


@pytest.mark.usefixtures("published")
def test_a_search_of_a_version_includes_pages_without_one_if_told_to(assay: Run) -> None:
    version = ("search", "gripper", "--version", "9.9", "--json")
    assert assay(*version).body["results"] == []
    assert assay(*version, "--include-unversioned").body["results"][0]["version"] is None


# --- what a publish did --------------------------------------------------------------------------------------------


def test_a_publish_without_changes_says_that_all_is_as_it_was(assay: Run) -> None:
    first = assay("publish", "--json").body["generation"]
    said = assay("publish")
    assert (said.code, f"Nothing has changed: the live generation {first}" in said.out) == (0, True)
    body = assay("publish", "--json").body
    assert (body["built"], body["unchanged"], body["promoted"]) == (False, True, None)
    assert (body["generation"], body["state"], body["verdict"]) == (first, "live", "PASS")


@pytest.mark.parametrize("command", ["ingest", "publish"])
@pytest.mark.usefixtures("published")
def test_a_build_that_drops_the_waiting_candidate_says_so(assay: Run, folder: Path, command: str) -> None:
    page = folder / "docs/wheel.md"
    before = page.read_text()
    page.write_text("# The wheel\n\nThe wheel is new.\n")
    waiting = assay("ingest", "--json").body["generation"]
    page.write_text(before)
    said = " ".join(assay(command).out.split())
    assert f"The waiting candidate {waiting} was dropped: the pages are those of the live generation again." in said
    assert assay(command, "--json").body["dropped"] == []


def test_a_publish_that_promotes_a_waiting_candidate_says_so_and_not_that_nothing_changed(assay: Run) -> None:
    waiting = assay("ingest", "--json").body["generation"]
    body = assay("publish", "--json").body
    assert (body["built"], body["unchanged"]) == (False, False)
    assert (body["generation"], body["promoted"], body["state"]) == (waiting, waiting, "live")


def test_the_text_of_such_a_publish_says_so_too(assay: Run) -> None:
    waiting = assay("ingest", "--json").body["generation"]
    said = assay("publish")
    assert f"Nothing was built: the candidate {waiting} has the same" in said.out
    assert "Nothing has changed" not in said.out
    assert f"Generation {waiting} is live" in said.out


def test_ingest_of_a_waiting_candidate_names_it_and_says_again_how_it_goes_live(assay: Run) -> None:
    waiting = assay("ingest", "--json").body["generation"]
    said = assay("ingest")
    assert waiting in said.out
    assert "`assay promote`" in said.out
    assert assay("ingest", "--json").body["unchanged"] is True


def test_a_candidate_that_does_not_pass_is_exit_code_1_with_its_report(assay: Run, folder: Path) -> None:
    live = assay("publish", "--json").body["generation"]
    _break_pages(folder, "wheel", "motor", "camera")
    said = assay("publish", "--json")
    assert said.code == 1
    assert (said.body["verdict"], said.body["promoted"], said.body["state"]) == ("FAIL", None, "rejected")
    assert "gate.max_failed_pages" in said.body["summary"]
    assert assay("search", "gripper", "--json").body["generation"] == live


@pytest.mark.usefixtures("published")
def test_the_text_of_a_failed_publish_says_what_is_live(assay: Run, folder: Path) -> None:
    _break_pages(folder, "wheel", "motor", "camera")
    said = assay("publish")
    assert said.code == 1
    assert "✗ failed pages" in said.out
    assert "the live generation is unchanged" in said.err


def test_the_text_of_a_failed_first_publish_says_that_nothing_is_live(assay: Run, folder: Path) -> None:
    _break_pages(folder, "wheel", "motor", "camera")
    said = assay("publish")
    assert said.code == 1
    assert said.err.endswith("It was not promoted; nothing is live yet.\n")


def test_promoting_a_candidate_that_does_not_pass_is_exit_code_1(assay: Run, folder: Path) -> None:
    _break_pages(folder, "wheel", "motor", "camera")
    assay("ingest")
    said = assay("promote", "--json")
    assert (said.code, said.body["error"]) == (1, "promotion_refused")
    assert "did not pass" in said.body["message"]


def test_a_check_that_cannot_be_decided_is_exit_code_3(assay: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    undecided = Finding("pages", Outcome.INCONCLUSIVE, None, "some limit", "it could not be measured")
    monkeypatch.setattr(checks, "CHECKS", (lambda *_: [undecided],))
    said = assay("publish", "--json")
    assert (said.code, said.body["verdict"], said.body["promoted"]) == (3, "INCONCLUSIVE", None)


# --- doctor, init, demo --------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("published")
def test_a_healthy_index_passes_the_doctor(assay: Run) -> None:
    said = assay("doctor", "--json")
    assert said.code == 0
    assert {check["check"]: check["level"] for check in said.body["checks"]} == dict.fromkeys(
        (
            "engine",
            "embedder",
            "data directory",
            "API keys",
            "catalog",
            "vector store",
            "sources",
            "test set",
            "live generation",
            "candidate",
        ),
        "ok",
    ) | {"test set": "warn"}
    assert "✓ catalog" in assay("doctor").out


def test_the_doctor_refuses_a_sample_of_an_index_that_is_not_adopted(assay: Run) -> None:
    said = assay("doctor", "--sample", "5")
    assert said.code == 2
    assert "add --adopt" in said.err


def test_the_doctor_names_what_is_broken_and_still_looks_at_the_rest(assay: Run, folder: Path) -> None:
    live = assay("publish", "--json").body["generation"]
    for path in (folder / ".assay" / "generations" / live).rglob("*.mmap"):
        path.write_bytes(b"damaged")
    said = assay("doctor", "--json")
    assert said.code == 1
    levels = {check["check"]: check["level"] for check in said.body["checks"]}
    assert (levels["live generation"], levels["catalog"], levels["candidate"]) == ("fail", "ok", "ok")


@pytest.mark.parametrize(
    ("files", "level", "said"),
    [
        ({}, "fail", "nope.yaml"),
        ({"nope.yaml": "topics: 3\n"}, "fail", "topics"),
        (
            {"nope.yaml": "topics: [{id: a, text: b, judgments: [{url: https://docs.example/gripper, label: 2}]}]\n"},
            "ok",
            "nope, 1 topic, from ",
        ),
    ],
)
def test_the_doctor_reads_the_test_set(assay: Run, folder: Path, files: dict[str, str], level: str, said: str) -> None:
    toml = folder / "assay.toml"
    plant(folder, {**files, "assay.toml": toml.read_text() + '[validation]\ntestset = "nope.yaml"\n'})
    checks = {check["check"]: check for check in assay("doctor", "--json").body["checks"]}
    assert checks["test set"]["level"] == level
    assert said in checks["test set"]["message"]


def test_a_test_set_that_is_used_again_is_named_by_the_verdict_and_the_doctor(assay: Run, folder: Path) -> None:
    path = folder / "set.yaml"
    path.write_text("topics: [{id: a, text: Gripper, judgments: [{url: https://docs.example/gripper, label: 2}]}]")
    assay("publish")
    assay("validate", "--testset", str(path), "--no-report")
    notes = assay("validate", "--no-report", "--json").body["notes"]
    way_out = "--testset or [validation] testset names another; --no-testset judges only the structure."
    assert f"No test set is set, so {path} is used, which last judged this content. {way_out}" in notes
    checks = {check["check"]: check for check in assay("doctor", "--json").body["checks"]}
    assert f"{path} is used, which last judged what is live. {way_out}" in checks["test set"]["message"]
    path.unlink()
    checks = {check["check"]: check for check in assay("doctor", "--json").body["checks"]}
    assert checks["test set"]["level"] == "fail"


def test_the_doctor_looks_at_the_keys_of_the_server(assay: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def of_keys() -> tuple[str, str]:
        checks = {check["check"]: check for check in assay("doctor", "--json").body["checks"]}
        return checks["API keys"]["level"], checks["API keys"]["message"]

    monkeypatch.setenv("ASSAY_SERVER__SEARCH", "key")
    assert of_keys() == ("warn", '[server] search is "key", and there is no key; `assay keys add NAME` creates one.')
    assert assay("keys", "add", "operator", "--scope", "admin").code == 0
    assert of_keys() == ("ok", "1 valid, 1 of them with the scope admin.")
    (folder / ".assay" / "keys.json").write_text("{")
    level, message = of_keys()
    assert (level, "are damaged" in message, "nobody can search" in message) == ("fail", True, True)
    monkeypatch.delenv("ASSAY_SERVER__SEARCH")
    assert "searches need no key" in of_keys()[1]


def test_the_doctor_says_once_what_stands_in_the_way_of_several_parts(
    assay: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "mysql://somewhere/docs")
    messages = [check["message"] for check in assay("doctor", "--json").body["checks"] if check["level"] == "fail"]
    assert sum("unsupported scheme 'mysql'" in message for message in messages) == 1
    assert messages.count("not checked: the same error as catalog.") == len(messages) - 1 > 0


def test_the_doctor_warns_of_a_candidate_that_waits(assay: Run) -> None:
    waiting = assay("ingest", "--json").body["generation"]
    checks = {check["check"]: check for check in assay("doctor", "--json").body["checks"]}
    assert (checks["candidate"]["level"], waiting in checks["candidate"]["message"]) == ("warn", True)


def test_init_writes_files_that_publish_can_use_and_overwrites_none(assay: Run, folder: Path) -> None:
    (folder / "assay.toml").unlink()
    assert assay("init", "--base-url", "https://docs.example").code == 0
    assert assay("publish", "--json").body["promoted"]
    (folder / "assay.toml").write_text("# mine\n", encoding="utf-8")
    said = assay("init")
    assert (said.code, "already exists" in said.err, "--force" in said.err) == (2, True, True)
    assert (folder / "assay.toml").read_text(encoding="utf-8") == "# mine\n"
    assert assay("init", "--force").code == 0


def test_publish_warns_of_the_address_that_init_does_not_know(assay: Run, folder: Path) -> None:
    (folder / "assay.toml").unlink()
    assert assay("init").code == 0
    (source,) = tomllib.loads((folder / "assay.toml").read_text(encoding="utf-8"))["sources"]
    assert source == {"path": "docs"}
    assert "6 pages have no real address" in " ".join(assay("publish").out.split())


def test_init_writes_a_site_too_and_paths_with_quotes(assay: Run, folder: Path) -> None:
    assert assay("init", "https://docs.example.org/guide/", "--force").code == 0
    (source,) = tomllib.loads((folder / "assay.toml").read_text(encoding="utf-8"))["sources"]
    assert source == {"url": "https://docs.example.org/guide/"}
    assert assay("init", 'my "docs"', "--force").code == 0
    (source,) = tomllib.loads((folder / "assay.toml").read_text(encoding="utf-8"))["sources"]
    assert source["path"] == 'my "docs"'


def test_the_demo_answers_and_leaves_the_working_directory_alone(assay: Run, folder: Path, tmp_path: Path) -> None:
    before = sorted(path.name for path in folder.iterdir())
    said = assay("demo", "--json", "--data-dir", str(tmp_path / "demo"))
    assert said.code == 0
    assert said.body["verdict"] == "PASS"
    assert [bool(search["results"]) for search in said.body["searches"]] == [True] * 3
    assert sorted(path.name for path in folder.iterdir() if path.name != "demo") == before


def test_a_demo_whose_gate_fails_still_reports_in_json(assay: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = Finding("pages", Outcome.FAIL, 1.0, "some limit", "they are gone")
    monkeypatch.setattr(checks, "CHECKS", (lambda *_: [failed],))
    said = assay("demo", "--json", "--data-dir", "demo")
    assert (said.code, said.body["verdict"], said.body["searches"]) == (1, "FAIL", [])


def test_a_warning_of_a_removal_that_failed_does_not_spoil_the_json(
    assay: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> list[str]:
        raise VectorStoreError("The index cannot be removed.")

    assay("publish")
    monkeypatch.setattr(GenerationLifecycle, "retire", fail)
    _change(folder)
    said = assay("publish", "--json")
    assert (said.code, said.body["error"]) == (4, "service_unavailable")
    assert json.loads(said.out)["message"] == "The index cannot be removed."


def test_opening_assay_touches_nothing(folder: Path) -> None:
    from assay.settings import load_settings

    with Assay.open(load_settings(folder / "assay.toml")):
        pass
    assert not (folder / ".assay").exists()


def test_a_search_that_falls_back_to_keywords_says_so_once_with_the_reason(
    assay: Run, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise EmbedderUnavailable("the model cannot be asked")

    assay("publish")
    monkeypatch.setattr(StaticEmbedder, "embed_query", fail)
    caplog.clear()
    said = assay("search", "gripper", "--threshold", "0.5")
    told = caplog.text + said.err
    assert said.code == 0
    assert "docs.example/gripper" in said.out
    for once in ("keyword search alone", "The threshold of 0.5 was not applied.", "the model cannot be asked"):
        assert told.count(once) == 1
    assert "keyword search alone" in assay("search", "gripper", "--json").body["warnings"][0]


@pytest.mark.parametrize("flag", ["-v", "--verbose"])
def test_steps_are_logged_with_the_flag_after_the_command_too(
    assay: Run, caplog: pytest.LogCaptureFixture, flag: str
) -> None:
    caplog.set_level(logging.WARNING)
    said = assay("publish", flag)
    assert said.code == 0
    assert "names them" not in said.out
    assert "✓ failed pages" in said.out


def test_the_flag_is_no_option_after_two_dashes(assay: Run) -> None:
    assert assay("search", "--", "-v", "more").code == 2


def test_a_generation_is_printed_in_python_on_one_line(assay: Run, folder: Path) -> None:
    assay("publish")
    with Assay.open(load_settings(folder / "assay.toml")) as opened:
        (generation,) = opened.parts.catalog.generations()
    assert repr(generation) == (
        f"<Generation {generation.id}: live, {generation.documents} documents, {generation.chunks} chunks>"
    )
