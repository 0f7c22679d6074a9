"""A publish that is killed at any step leaves the live generation answering, and the next run cleans up."""

import shutil
from pathlib import Path

import pytest
from tests.acceptance.killing import count_calls, kill
from tests.copies import copy_tree
from tests.examples import is_soak

from assay.app import Assay
from assay.model.generations import State
from assay.model.ranking import Query
from assay.settings import load_settings

ROOT = Path(__file__).resolve().parent.parent.parent
QUERY = Query("how is the gripper calibrated", 3)


def _page(title: str, body: str) -> str:
    return f"# {title}\n\n{body}\n\n## Details\n\nMore about {title.lower()}: {body}\n"


def _write_docs(folder: Path, *, changed: bool) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    pages = {
        "gripper": _page("Gripper", "The gripper is calibrated by closing it on the reference block."),
        "camera": _page("Camera", "The camera is focused on the chess board before every shift."),
        "battery": _page("Battery", "A battery lasts four hours and charges in one."),
    }
    if changed:
        pages["camera"] = _page("Camera", "The camera focuses itself since release two.")
        pages["wheels"] = _page("Wheels", "The wheels are locked while the robot is charging.")
        del pages["battery"]
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def _open(data_dir: Path, docs: Path) -> Assay:
    source = {"path": docs, "base_url": "https://docs.example", "name": "docs"}
    settings = {"data_dir": data_dir, "sources": [source], "gate": {"max_page_fall": 1.0}}
    return Assay.open(load_settings(None, settings))


def _answers(data_dir: Path, docs: Path) -> tuple[list[str], str | None]:
    with _open(data_dir, docs) as assay:
        return [hit.chunk.id for hit in assay.search(QUERY).hits], assay.parts.catalog.live_id()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_publish_killed_at_any_step_harms_nothing_and_the_next_one_succeeds(tmp_path: Path) -> None:
    docs, base = tmp_path / "docs", tmp_path / "base"
    _write_docs(docs, changed=False)
    with _open(base, docs) as assay:
        assert assay.publish().promoted
    before, first = _answers(base, docs)
    _write_docs(docs, changed=True)
    clean = tmp_path / "clean"
    copy_tree(base, clean)
    calls = count_calls(clean, docs)
    after, _ = _answers(clean, docs)
    assert calls >= 12
    # After one change is before the next, but for the last.
    step = 1 if is_soak() else 2
    for call, when in [*((call, "before") for call in range(1, calls + 1, step)), (calls, "after")]:
        data_dir = tmp_path / f"killed-{call}-{when}"
        copy_tree(base, data_dir)
        kill(data_dir, docs, call, when)
        answers, live = _answers(data_dir, docs)
        assert answers == (before if live == first else after), f"{call} {when}"
        with _open(data_dir, docs) as assay:
            assay.publish()
            states = {generation.id: generation.state for generation in assay.generations()}
            assert sorted(states.values()).count(State.LIVE) == 1
            assert set(states.values()) <= {State.LIVE, State.RETIRED}, f"{call} {when}: {states}"
            assert assay.parts.store.generations() == sorted(states), f"{call} {when}"
            assay.searches.live.refresh()
            assert [hit.chunk.id for hit in assay.search(QUERY).hits] == after, f"{call} {when}"
        shutil.rmtree(data_dir)
