"""Without a named test set, the one that judged last judges the next content too."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from tests.copies import copy_tree
from tests.folders import plant
from tests.integration.cli.commands import Run
from tests.integration.cli.commands import assay as run_to_end
from tests.integration.cli.conftest import PARTS, planted_pages

TESTSET = "topics.json"
LOGIN = "# Sign in\n\nSign in with your company account to continue. Forgot your password? Contact the helpdesk.\n"
WAY_OUT = "--testset or [validation] testset names another; --no-testset judges only the structure."


def _write_test_set(folder: Path, *parts: str) -> None:
    """Write one topic for each part, and limits that six topics can prove and two login pages keep."""
    topics = [
        {"id": part, "text": f"When is the {part} checked?", "judgments": [_judgment(part)]} for part in parts or PARTS
    ]
    plant(folder, {TESTSET: json.dumps({"name": "parts", "topics": topics})})
    toml = folder / "assay.toml"
    limits = 'precision = "attainable"\nmin_precision_share = 0.6\nmin_mrr = 0.6\nmax_page_fall = 1.0\n'
    toml.write_text(f"{toml.read_text()}\n[gate]\n{limits}max_alike_pages = 0.5\nmax_repeated = 0.5\n")


def _judgment(part: str) -> dict[str, object]:
    return {"url": f"https://docs.example/{part}", "quote": f"The {part} is checked", "label": 2}


@pytest.fixture(scope="module")
def judged_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of such a folder in which a publish with the test set has passed."""
    folder = planted_pages(tmp_path_factory.mktemp("judged"))
    _write_test_set(folder)
    assert run_to_end(folder, "publish", "--testset", TESTSET).code == 0
    return folder / ".assay"


@pytest.fixture
def judged(folder: Path, judged_data: Path) -> Path:
    """The folder, with its pages live and judged by the test set."""
    _write_test_set(folder)
    copy_tree(judged_data, folder / ".assay")
    return folder


def _break(folder: Path, *parts: str) -> dict[str, str]:
    """Replace pages by a login page. Return the files as they were."""
    before = {f"docs/{part}.md": (folder / "docs" / f"{part}.md").read_text() for part in parts}
    plant(folder, dict.fromkeys(before, LOGIN))
    return before


def test_content_that_failed_its_test_set_stays_out_whatever_was_rejected_in_between(assay: Run, folder: Path) -> None:
    _write_test_set(folder)
    live = assay("publish", "--testset", TESTSET, "--json").body
    assert live["promoted"]
    first = _break(folder, *PARTS[:2])
    assert assay("publish", "--testset", TESTSET, "--json").body["verdict"] == "FAIL"
    plant(folder, first)
    second = _break(folder, *PARTS[2:4])
    assert assay("publish", "--json").body["verdict"] == "FAIL"
    plant(folder, second)
    _break(folder, *PARTS[:2])
    said = assay("publish", "--json")
    assert (said.code, said.body["verdict"], said.body["promoted"]) == (1, "FAIL", None)
    # Only the test set holds it back.
    without = assay("publish", "--no-testset", "--json")
    assert (without.code, without.body["verdict"], bool(without.body["promoted"])) == (0, "PASS", True)


@pytest.mark.usefixtures("judged")
def test_new_content_is_judged_by_the_test_set_of_what_is_live(assay: Run, folder: Path) -> None:
    _break(folder, *PARTS[:2])
    assert assay("ingest").code == 0
    promoted = assay("promote")
    assert (promoted.code, "did not pass" in promoted.err) == (1, True)


@pytest.mark.usefixtures("judged")
def test_labels_and_thresholds_are_those_of_the_test_set_that_judged_last(
    assay: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for command in (["label", "--json", "--depth", "20"], ["calibrate", "--json"]):
        assert assay(*command).body == assay(*command, "--testset", TESTSET).body
    assert assay("label", "--json").body["to_label"]
    monkeypatch.setenv("ASSAY_VALIDATION__TESTSET", "false")
    for command in (["label"], ["calibrate"]):
        said = assay(*command)
        assert (said.code, "There is no test set" in said.err) == (2, True)


def test_a_fix_is_judged_as_the_breakage_was_and_the_way_out_is_named(assay: Run, folder: Path) -> None:
    _write_test_set(folder, PARTS[0])
    assert assay("publish", "--testset", TESTSET).code == 3
    before = _break(folder, *PARTS[1:3])
    broken = assay("publish", "--json")
    (note,) = [one for one in broken.body["notes"] if one.endswith(WAY_OUT)]
    assert (broken.code, note.startswith("No test set is set, so ")) == (3, True)
    plant(folder, before)
    assert assay("publish").code == 3
    assert assay("publish", "--no-testset").code == 0


def test_a_promotion_that_is_undecided_has_the_exit_code_of_inconclusive(assay: Run, folder: Path) -> None:
    _write_test_set(folder, PARTS[0])
    assert assay("publish", "--testset", TESTSET).code == 3
    said = assay("promote", "--json")
    assert (said.code, said.body["error"]) == (3, "promotion_undecided")


def test_a_build_alone_does_not_forget_the_test_set_of_a_rejected_generation(assay: Run, folder: Path) -> None:
    _write_test_set(folder)
    assert assay("publish").code == 0
    before = _break(folder, *PARTS[:2])
    assert assay("publish", "--testset", TESTSET).code == 1
    plant(folder, before | {"docs/lamp.md": "# The lamp\n\nThe lamp is new.\n"})
    assert assay("ingest").code == 0
    _break(folder, *PARTS[:2])
    assert assay("publish").code == 1


@pytest.mark.usefixtures("judged")
def test_a_setting_judges_the_structure_alone(assay: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _break(folder, *PARTS[:2])
    monkeypatch.setenv("ASSAY_VALIDATION__TESTSET", "false")
    checks = {check["check"]: check for check in assay("doctor", "--json").body["checks"]}
    assert "only structural checks" in checks["test set"]["message"]
    assert assay("publish").code == 0


def test_a_test_set_and_none_at_once_are_refused(assay: Run, folder: Path) -> None:
    _write_test_set(folder)
    for command in ("publish", "validate", "promote"):
        said = assay(command, "--testset", TESTSET, "--no-testset")
        assert (said.code, "cannot be combined" in said.err) == (2, True)
        said = assay(command, "--testset", "")
        assert (said.code, "--testset names no file" in said.err) == (2, True)


@pytest.mark.usefixtures("judged")
def test_a_test_set_that_is_gone_is_not_left_out_in_silence(assay: Run, folder: Path) -> None:
    (folder / TESTSET).unlink()
    plant(folder, {"docs/lamp.md": "# The lamp\n\nThe lamp is new.\n"})
    said = assay("publish")
    assert (said.code, "what is live cannot be used" in " ".join(said.err.split())) == (2, True)
    assert "--no-testset" in said.err
    assert assay("promote").code == 2
    assert assay("publish", "--no-testset").code == 0


@pytest.mark.parametrize("command", [("validate",), ("promote",), ("publish",)])
def test_a_run_without_the_test_set_does_not_make_it_forgotten(
    assay: Run, folder: Path, command: tuple[str, ...]
) -> None:
    if command == ("validate",):
        _write_test_set(folder)
        assert assay("publish", "--testset", TESTSET).code == 0
    else:
        _write_test_set(folder, PARTS[0])
        assert assay("publish", "--testset", TESTSET).code == 3
    assert assay(*command, "--no-testset").code == 0
    checks = {check["check"]: check for check in assay("doctor", "--json").body["checks"]}
    assert TESTSET in checks["test set"]["message"]
    _break(folder, *PARTS[1:3])
    broken = assay("publish", "--json")
    assert (broken.code in {1, 3}, broken.body["promoted"]) == (True, None)


def test_the_test_set_is_remembered_however_many_releases_went_without_it(assay: Run, folder: Path) -> None:
    _write_test_set(folder)
    toml = folder / "assay.toml"
    toml.write_text(f"{toml.read_text()}\n[release]\nkeep = 2\n")
    assert assay("publish", "--testset", TESTSET).code == 0
    for night in range(2):
        plant(folder, {"docs/lamp.md": f"# The lamp\n\nThe lamp was new {night} nights ago.\n"})
        assert assay("publish", "--no-testset").code == 0
    _break(folder, *PARTS[:2])
    assert assay("publish").code == 1


@pytest.mark.usefixtures("judged")
def test_a_broken_test_set_is_refused_before_anything_is_built(assay: Run, folder: Path) -> None:
    plant(folder, {TESTSET: "{", "docs/lamp.md": "# The lamp\n\nThe lamp is new.\n"})
    said = assay("publish")
    assert (said.code, "what is live cannot be used" in " ".join(said.err.split())) == (2, True)
    assert len(assay("generations", "--json").body["generations"]) == 1


@pytest.mark.usefixtures("judged")
def test_what_went_live_without_the_test_set_is_judged_by_the_next_publish(assay: Run, folder: Path) -> None:
    assert assay("publish", "--json").body["verdict"] == "PASS"
    _break(folder, *PARTS[:2])
    assert assay("publish", "--no-testset").code == 0
    checks = {check["check"]: check for check in assay("doctor", "--json").body["checks"]}
    assert checks["test set"]["level"] == "warn"
    assert "The live generation has no PASS by it" in checks["test set"]["message"]
    said = assay("publish", "--json")
    assert (said.code, said.body["built"], said.body["verdict"]) == (3, False, "INCONCLUSIVE")
    assert assay("publish", "--no-testset", "--json").body["unchanged"]


@pytest.mark.usefixtures("judged")
def test_a_promotion_that_judges_nothing_shows_no_notes_of_a_verdict(assay: Run, folder: Path) -> None:
    plant(folder, {"docs/lamp.md": "# The lamp\n\nThe lamp is new.\n"})
    assert "No test set is set" in assay("publish").out
    newest, oldest = assay("generations", "--json").body["generations"]
    for generation in (oldest, newest):
        said = assay("promote", generation["generation"])
        assert (said.code, "No test set is set" in said.out) == (0, False)


@pytest.mark.usefixtures("judged")
def test_an_edited_test_set_judges_unchanged_pages_once(assay: Run, folder: Path) -> None:
    assert assay("publish", "--json").body["unchanged"]
    body = json.loads((folder / TESTSET).read_text())
    body["topics"][0]["text"] += " How often?"
    plant(folder, {TESTSET: json.dumps(body)})
    said = assay("publish", "--json")
    assert (said.code, said.body["built"], said.body["unchanged"]) == (0, False, False)
    assert assay("publish", "--json").body["unchanged"]


@pytest.mark.usefixtures("judged")
def test_a_copied_project_is_judged_by_its_own_test_set(assay: Run, folder: Path) -> None:
    copy = folder.parent / f"{folder.name}-copy"
    copy_tree(folder, copy)
    (folder / TESTSET).unlink()
    _break(copy, *PARTS[:2])
    said = assay("publish", "--config", str(copy / "assay.toml"), "--data-dir", str(copy / ".assay"), "--json")
    assert (said.code, said.body["verdict"]) == (1, "FAIL")
    assert any(str(copy / TESTSET) in note for note in said.body["notes"])


@pytest.mark.parametrize("data", ["var/assay", "."])
def test_a_moved_project_uses_its_own_test_set_wherever_its_data_directory_is(
    assay: Run, folder: Path, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write_test_set(folder)
    assert assay("publish", "--testset", TESTSET, "--data-dir", data).code == 0
    moved = folder.parent / f"{folder.name}-moved"
    copy_tree(folder, moved)
    (folder / TESTSET).unlink()
    _break(moved, *PARTS[:2])
    arguments = ("publish", "--config", str(moved / "assay.toml"), "--data-dir", str(moved / data), "--json")
    monkeypatch.chdir("/")
    said = assay(*arguments)
    assert (said.code, said.body["verdict"]) == (1, "FAIL")
    assert any(str(moved / TESTSET) in note for note in said.body["notes"])


def test_a_test_set_outside_the_project_is_remembered_by_its_absolute_path(assay: Run, folder: Path) -> None:
    _write_test_set(folder)
    elsewhere = folder.parent / f"{folder.name}-elsewhere"
    copy_tree(folder, elsewhere)
    assert assay("publish", "--testset", str(elsewhere / TESTSET)).code == 0
    _break(folder, *PARTS[:2])
    notes = assay("publish", "--json").body["notes"]
    assert any(str(elsewhere / TESTSET) in note for note in notes)


@pytest.mark.parametrize("command", ["publish", "promote"])
def test_a_renamed_test_set_is_remembered_where_nothing_is_judged_again(assay: Run, folder: Path, command: str) -> None:
    _write_test_set(folder)
    if command == "publish":
        assert assay("publish", "--testset", TESTSET).code == 0
    else:
        assert assay("ingest").code == 0
        assert assay("validate", "--generation", "candidate", "--testset", TESTSET).code == 0
    (folder / TESTSET).rename(folder / "renamed.json")
    assert assay(command, "--testset", "renamed.json").code == 0
    assert assay("publish", "--json").body["unchanged"]
    assert assay("validate").code == 0


def test_a_linked_test_set_is_remembered_as_the_link(assay: Run, folder: Path) -> None:
    _write_test_set(folder)
    for version in ("v1", "v2"):
        plant(
            folder, {f"{version}/{TESTSET}": (folder / TESTSET).read_text().replace("When is", f"{version}: when is")}
        )
    (folder / "current").symlink_to("v1")
    assert assay("publish", "--testset", f"current/{TESTSET}").code == 0
    (folder / "current").unlink()
    (folder / "current").symlink_to("v2")
    shutil.rmtree(folder / "v1")
    said = assay("publish", "--json")
    assert (said.code, said.body["built"], said.body["unchanged"]) == (0, False, False)
    assert any(str(folder / "current" / TESTSET) in note for note in said.body["notes"])


@pytest.mark.usefixtures("judged")
def test_an_absolute_path_of_an_older_version_still_names_the_test_set(assay: Run, folder: Path) -> None:
    with sqlite3.connect(folder / ".assay" / "catalog.sqlite") as connection:
        (stored,) = connection.execute("SELECT verdict FROM generations").fetchone()
        verdict = json.loads(stored)
        assert verdict["test_set_path"] == TESTSET
        moved = shutil.move(folder / TESTSET, folder.parent / "elsewhere.json")
        older = json.dumps(verdict | {"test_set_path": str(moved)})
        connection.execute("UPDATE generations SET verdict = ?", (older,))
    _break(folder, *PARTS[:2])
    assert assay("publish", "--json").body["verdict"] == "FAIL"


@pytest.mark.usefixtures("judged")
def test_the_list_of_generations_says_whose_verdict_it_is_and_that_no_test_set_gave_it(
    assay: Run, folder: Path
) -> None:
    plant(folder, {"docs/lamp.md": "# The lamp\n\nThe lamp is new.\n"})
    assert assay("publish", "--no-testset").code == 0
    (folder / "docs/lamp.md").unlink()
    assert assay("ingest").code == 0
    shown = assay("generations").out.splitlines()
    assert shown[1].endswith("PASS of equal content")
    assert shown[2].endswith("PASS without a test set")
    assert shown[3].endswith("PASS")
    newest, *others = assay("generations", "--json").body["generations"]
    assert [newest["verdict_of"], newest["test_set"]] == [others[1]["generation"], "parts"]
    assert [(one["verdict_of"] == one["generation"], one["test_set"]) for one in others] == [
        (True, None),
        (True, "parts"),
    ]
