"""Publishing a folder again and again: what is reused, what is gone, what is blocked, and going back."""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from tests.copies import copy_tree

from assay.adapters.sources.folder import layout
from assay.app import Assay, building
from assay.app.evaluation import Evaluation
from assay.cli.terminal.generation_text import publish_body
from assay.errors import BuildInProgress, GenerationNotFound, IndexCorrupt, LiveChanged, PromotionRefused, SourceError
from assay.ingest.chunking import chunker
from assay.model.evaluation import Outcome
from assay.model.generations import Generation, State
from assay.model.ranking import Filters, Mode, Query
from assay.model.validations import Validation
from assay.settings import load_settings

PARTS = ("gripper", "camera", "battery", "wheel", "motor", "sensor", "radio", "screen", "cable", "frame", "fan", "lamp")


class Desk:
    """A folder of pages and the Assay that reads it."""

    def __init__(self, folder: Path) -> None:
        self.docs = folder / "docs"
        self.data = folder / "data"
        self.docs.mkdir()
        for part in PARTS:
            self.write(part, f"The {part} is checked every {len(part)} days.")

    def write(self, part: str, body: str) -> None:
        (self.docs / f"{part}.md").write_text(f"# About the {part}\n\n{body}\n", encoding="utf-8")

    def remove(self, *parts: str) -> None:
        for part in parts:
            (self.docs / f"{part}.md").unlink()

    def open(self, **overrides: Any) -> Assay:  # noqa: ANN401 - tables of settings
        source = {"path": self.docs, "base_url": "https://docs.example", "name": "docs", "convention": "plain"}
        return Assay.open(load_settings(None, {"data_dir": self.data, "sources": [source], **overrides}))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Generation]:
    """The data of a desk that has been published once, and its live generation."""
    desk = Desk(tmp_path_factory.mktemp("original"))
    with desk.open() as opened:
        live = opened.publish().promoted
    assert live
    return desk.data, live


@pytest.fixture
def first(desk: Desk, original: tuple[Path, Generation]) -> Generation:
    """The live generation of the desk's pages. A test that takes it takes it before `assay`."""
    data, live = original
    copy_tree(data, desk.data)
    return live


@pytest.fixture
def assay(desk: Desk) -> Iterator[Assay]:
    with desk.open() as opened:
        yield opened


def _damage(desk: Desk, generation: str) -> None:
    for path in (desk.data / "generations" / generation).rglob("*.mmap"):
        path.write_bytes(b"damaged")


def _urls(assay: Assay, text: str) -> list[str]:
    assay.searches.live.refresh()
    return [hit.chunk.document.url for hit in assay.search(Query(text, 3)).hits]


def test_a_first_publish_goes_live_and_answers(assay: Assay) -> None:
    report = assay.publish()
    assert report.promoted
    assert report.verdict
    assert report.verdict.summary.startswith("PASS:")
    assert report.build.embedded == len(PARTS)
    assert _urls(assay, "when is the gripper checked")[0] == "https://docs.example/gripper"


def test_an_open_assay_follows_its_own_releases_and_those_of_others(
    first: Generation, desk: Desk, assay: Assay
) -> None:
    def served(opened: Assay) -> str:
        return opened.search("when is the gripper checked").generation

    with desk.open(server={"poll_seconds": 0.05}) as other:
        assert (served(assay), served(other)) == (first.id, first.id)
        desk.write("camera", "The camera focuses itself.")
        promoted = assay.publish().promoted
        assert promoted
        assert served(assay) == promoted.id
        sleep(0.1)
        assert served(other) == promoted.id
        assay.rollback()
        assert served(assay) == first.id
        assay.promote(promoted.id)
        assert served(assay) == promoted.id


def test_a_publish_without_changes_builds_and_embeds_nothing(assay: Assay) -> None:
    first = assay.publish()
    second = assay.publish()
    assert (second.build.unchanged, second.build.embedded, second.promoted) == (True, 0, None)
    assert second.build.generation.id == first.build.generation.id
    assert len(assay.generations()) == 1


def test_pages_that_are_those_of_the_live_generation_again_build_nothing(
    first: Generation, desk: Desk, assay: Assay
) -> None:
    page = (desk.docs / "camera.md").read_text(encoding="utf-8")
    desk.write("camera", "The camera focuses itself.")
    candidate = assay.builds.ingest().generation
    assert candidate.state is State.CANDIDATE
    (desk.docs / "camera.md").write_text(page, encoding="utf-8")
    report = assay.publish()
    build = report.build
    assert (build.unchanged, build.embedded, build.changed, report.promoted) == (True, 0, (), None)
    assert build.generation.id == first.id
    assert {one.id: one.state for one in assay.generations()} == {first.id: State.LIVE, candidate.id: State.REJECTED}
    with pytest.raises(GenerationNotFound):
        assay.rollback()
    desk.write("lamp", "The lamp is new.")
    assert assay.publish().promoted


@pytest.mark.usefixtures("first")
def test_pages_that_differ_from_the_live_ones_in_their_tags_alone_are_built(desk: Desk, assay: Assay) -> None:
    desk.write("camera", "The camera focuses itself.")
    assay.builds.ingest()
    body = "# About the camera\n\nThe camera is checked every 6 days.\n"
    (desk.docs / "camera.md").write_text(f"---\ntags: [optics]\n---\n\n{body}", encoding="utf-8")
    assert not assay.builds.ingest().unchanged


def test_a_changed_page_alone_is_embedded_again_and_the_rest_keep_their_vectors(
    first: Generation, desk: Desk, assay: Assay
) -> None:
    before = {chunk.id: chunk.created_at for chunk in assay.parts.catalog.chunks(first.id)}
    desk.write("camera", "The camera focuses itself.")
    build = assay.publish().build
    assert (build.embedded, build.reused, list(build.changed)) == (1, len(PARTS) - 1, ["camera.md"])
    after = {chunk.id: chunk.created_at for chunk in assay.parts.catalog.chunks(build.generation.id)}
    assert len(after.items() & before.items()) == len(PARTS) - 1
    assert _urls(assay, "camera focuses itself")[0] == "https://docs.example/camera"


def test_an_index_of_an_earlier_reader_is_read_anew_without_embedding_anything(
    first: Generation, desk: Desk, assay: Assay
) -> None:
    dates = {chunk.id: chunk.created_at for chunk in assay.parts.catalog.chunks(first.id)}
    assay.parts.catalog.update_generation(replace(first, chunker=replace(first.chunker, reader="markdown-1")))
    with sqlite3.connect(desk.data / "catalog.sqlite") as connection:
        connection.execute("UPDATE document_revisions SET outline = NULL, revision = 'old' || id")
    assert {stored.sections for stored in assay.parts.catalog.documents(first.id)} == {None}
    build = assay.publish().build
    assert (build.unchanged, build.embedded, build.reused) == (False, 0, len(PARTS))
    assert (build.added, len(build.changed)) == ((), len(PARTS))
    headings = [
        stored.sections[0].heading for stored in assay.parts.catalog.documents(build.generation.id) if stored.sections
    ]
    assert headings == [f"About the {part}" for part in sorted(PARTS)]
    assert {chunk.id: chunk.created_at for chunk in assay.parts.catalog.chunks(build.generation.id)} == dates


def test_translations_of_an_index_built_before_get_their_locales_and_nothing_is_embedded_or_lost(
    desk: Desk, assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk.docs / "en").mkdir()
    (desk.docs / "fr").mkdir()
    for part in PARTS:
        (desk.docs / f"{part}.md").rename(desk.docs / "en" / f"{part}.md")
        french = f"# Sur: {part}\n\nOn contrôle: {part}, tous les {len(part)} jours.\n"
        (desk.docs / "fr" / f"{part}.md").write_text(french, encoding="utf-8")
    desk.write("notes", "The notes have their own page.")
    with monkeypatch.context() as patched:
        patched.setattr(layout, "find_translations", lambda *_: None)
        assert assay.publish().promoted
    report = assay.publish()
    assert report.promoted
    assert (len(report.build.changed), report.build.embedded, report.build.removed) == (2 * len(PARTS) + 1, 0, ())
    assert report.verdict
    assert any(f"Searches no longer read {len(PARTS)} pages by default" in note for note in report.verdict.notes)
    addresses = {f"https://docs.example/{locale}/gripper" for locale in ("en", "fr")}
    found = {
        filters: addresses.intersection(
            hit.chunk.document.url for hit in assay.search(Query("gripper", 5, filters=filters)).hits
        )
        for filters in (Filters(), Filters(locales=("fr",)), Filters(everything=True))
    }
    assert list(found.values()) == [{min(addresses)}, {max(addresses)}, addresses]
    assert "https://docs.example/notes" in _urls(assay, "own page of the notes")
    assert not assay.publish().promoted


def test_an_index_without_inner_headings_gets_them_by_a_publish_that_embeds_nothing(
    desk: Desk, assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("gripper", "It grips.\n\n## Calibration\n\nThe gripper is calibrated each day.")
    with monkeypatch.context() as earlier:
        earlier.setattr(building, "CHUNKER_REVISION", "1")
        earlier.setattr(chunker._Drafter, "_inner_headings", lambda *_: ())
        first = assay.publish().build.generation
    (before,) = [hit for hit in assay.search("gripper calibration").hits if "gripper" in hit.url]
    assert (before.chunk.inner_headings, before.url) == ((), "https://docs.example/gripper#about-the-gripper")
    report = assay.publish()
    assert report.promoted
    assert (report.build.unchanged, report.build.embedded) == (False, 0)
    assert report.build.generation.content_fingerprint == first.content_fingerprint
    with desk.open() as opened:
        (after,) = [hit for hit in opened.search("gripper calibration").hits if "gripper" in hit.url]
    assert after.url == "https://docs.example/gripper#calibration"
    assert replace(after.chunk, inner_headings=()) == before.chunk
    assert assay.publish().build.unchanged


@pytest.mark.usefixtures("first")
def test_a_removed_page_no_longer_answers(desk: Desk, assay: Assay) -> None:
    desk.remove("battery")
    build = assay.publish().build
    assert build.removed == ("https://docs.example/battery",)
    assert "https://docs.example/battery" not in _urls(assay, "about the battery")


@pytest.mark.usefixtures("first")
def test_a_renamed_page_is_not_embedded_again(desk: Desk, assay: Assay) -> None:
    (desk.docs / "camera.md").rename(desk.docs / "optics.md")
    assert assay.publish().build.embedded == 0
    assert _urls(assay, "about the camera")[0] == "https://docs.example/optics"


@pytest.mark.usefixtures("first")
def test_an_incremental_build_equals_a_fresh_one(desk: Desk, assay: Assay, tmp_path: Path) -> None:
    desk.write("lamp", "The lamp is new.")
    desk.remove("fan")
    incremental = assay.publish().build.generation
    desk.data = tmp_path / "fresh"
    with desk.open() as other:
        fresh = other.publish().build.generation
        assert incremental.content_fingerprint == fresh.content_fingerprint
        assert incremental.sparse == fresh.sparse
        ids = [chunk.id for chunk in other.parts.catalog.chunks(fresh.id)]
        with assay.searches.live.lease() as ours, other.searches.live.lease() as theirs:
            mine, yours = ours.index.vectors(ids), theirs.index.vectors(ids)
    assert {key: vector.tobytes() for key, vector in mine.items()} == {k: v.tobytes() for k, v in yours.items()}


def test_a_page_that_fails_keeps_the_document_it_had(desk: Desk, tmp_path: Path) -> None:
    with desk.open(gate={"max_failed_pages": 0.2}) as assay:
        assay.publish()
        (desk.docs / "radio.md").write_bytes(b"\xff\xfe broken")
        report = assay.publish()
        assert [failure.key for failure in report.build.failed] == ["radio.md"]
        assert report.build.carried == ("radio.md",)
        assert report.promoted
        assert _urls(assay, "about the radio")[0] == "https://docs.example/radio"


def test_documents_that_no_reader_takes_block_the_candidate_and_some_do_not(desk: Desk, assay: Assay) -> None:
    for number in range(3):
        (desk.docs / f"{number}.adoc").write_text("= A")
    report = assay.publish()
    assert report.promoted
    assert assay.parts.catalog.generation(report.promoted.id).unread_documents == {"adoc": 3}
    (desk.docs / "4.ipynb").write_text("{}")
    desk.write("gripper", "The gripper has changed.")
    report = assay.publish()
    assert report.verdict
    assert report.verdict.outcome is Outcome.FAIL
    assert "gate.max_unread_files" in report.verdict.summary
    assert report.build.unread.documents == {"adoc": 3, "ipynb": 1}


def test_unread_files_are_counted_again_where_no_page_has_changed(first: Generation, desk: Desk, assay: Assay) -> None:
    assert assay.parts.catalog.generation(first.id).unread_documents == {}
    (desk.docs / "more.rst").write_text("More")
    again = assay.publish().build
    assert again.unchanged
    assert again.generation.id == first.id
    assert assay.parts.catalog.generation(first.id).unread_documents == {"rst": 1}


def test_failed_pages_are_counted_again_where_no_page_has_changed(desk: Desk, tmp_path: Path) -> None:
    page = desk.docs / "radio.md"
    readable = page.read_bytes()
    with desk.open(gate={"max_failed_pages": 0.2}) as assay:
        assay.publish()
        page.write_bytes(b"\xff\xfe broken")
        broken = assay.publish().promoted
        assert broken
        assert (broken.failed_pages, broken.carried_pages) == (1, 1)
        page.write_bytes(readable)
        again = assay.publish().build
        assert (again.unchanged, again.generation.id) == (True, broken.id)
        stored = assay.parts.catalog.generation(broken.id)
        assert (stored.failed_pages, stored.carried_pages) == (0, 0)


@pytest.mark.usefixtures("first")
def test_a_page_that_is_restored_no_longer_blocks_the_waiting_candidate(desk: Desk, assay: Assay) -> None:
    page = desk.docs / "radio.md"
    readable = page.read_bytes()
    desk.write("gripper", "The gripper has changed.")
    page.write_bytes(b"\xff\xfe broken")
    waiting = assay.builds.ingest().generation
    assert waiting.failed_pages == 1
    page.write_bytes(readable)
    promoted = assay.publish().promoted
    assert promoted
    assert promoted.id == waiting.id


def test_many_failed_pages_block_the_candidate_and_live_stays(first: Generation, desk: Desk, assay: Assay) -> None:
    for part in PARTS[:4]:
        (desk.docs / f"{part}.md").write_bytes(b"\xff")
    report = assay.publish()
    assert report.verdict
    assert report.verdict.outcome is Outcome.FAIL
    assert "gate.max_failed_pages" in report.verdict.summary
    assert report.promoted is None
    assert assay.parts.catalog.live_id() == first.id
    assert assay.parts.catalog.generation(report.build.generation.id).state is State.REJECTED


def test_a_large_fall_in_pages_blocks_the_candidate(first: Generation, desk: Desk, assay: Assay) -> None:
    desk.remove(*PARTS[:5])
    report = assay.publish()
    assert report.verdict
    assert "gate.max_page_fall" in report.verdict.summary
    assert assay.parts.catalog.live_id() == first.id
    with desk.open(gate={"max_page_fall": 1.0}) as willing:
        assert willing.publish().promoted


def test_a_candidate_waits_for_its_promotion_and_a_newer_one_takes_its_place(desk: Desk, assay: Assay) -> None:
    first = assay.builds.ingest().generation
    assert (first.state, assay.parts.catalog.live_id()) == (State.CANDIDATE, None)
    desk.write("lamp", "The lamp is new.")
    second = assay.builds.ingest().generation
    assert assay.parts.catalog.generation(first.id).state is State.REJECTED
    assert assay.promote().id == second.id
    with pytest.raises(GenerationNotFound, match="no candidate"):
        assay.promote()


def test_two_that_promote_one_candidate_at_once_both_find_it_live(
    desk: Desk, assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    candidate = assay.builds.ingest().generation
    validate = Evaluation.validate

    def beaten(self: Evaluation, *arguments: Any, **options: Any) -> Validation:  # noqa: ANN401 - handed on
        validation = validate(self, *arguments, **options)
        monkeypatch.setattr(Evaluation, "validate", validate)
        with desk.open() as faster:
            assert faster.promote().id == candidate.id
        return validation

    monkeypatch.setattr(Evaluation, "validate", beaten)
    promoted = assay.promote()
    assert (promoted.id, promoted.state) == (candidate.id, State.LIVE)
    assert assay.promote(candidate.id) == promoted


def test_an_unchecked_candidate_is_not_promoted_by_the_releases(assay: Assay) -> None:
    candidate = assay.builds.ingest().generation
    with pytest.raises(PromotionRefused, match="has not been checked"):
        assay.parts.lifecycle.promote(candidate.id, "gate", None)
    assay.validate(candidate.id)
    with pytest.raises(PromotionRefused, match="is for other limits"):
        assay.parts.lifecycle.promote(candidate.id, "another gate", None)


def test_a_rollback_brings_back_what_was_live_and_old_generations_are_removed(desk: Desk, assay: Assay) -> None:
    ids = []
    for number in range(5):
        desk.write("lamp", f"The lamp has {number} bulbs.")
        ids.append(assay.publish().build.generation.id)
    assert [generation.id for generation in assay.generations()] == ids[:1:-1]
    assert assay.parts.store.generations() == ids[2:]
    assert assay.rollback().id == ids[3]
    assay.searches.live.refresh()
    assert "3 bulbs" in assay.search(Query("how many bulbs has the lamp", 1)).hits[0].chunk.text
    assert assay.rollback().id == ids[2]
    with pytest.raises(GenerationNotFound, match="no earlier generation"):
        assay.rollback()
    assert assay.promote(ids[4]).id == ids[4]


def test_a_damaged_live_index_does_not_stop_the_next_build(first: Generation, desk: Desk, assay: Assay) -> None:
    _damage(desk, first.id)
    desk.write("lamp", "The lamp is new.")
    report = assay.publish()
    assert report.promoted
    assert report.build.embedded == len(PARTS)


def test_a_damaged_live_index_is_built_anew_though_no_page_changed(first: Generation, desk: Desk, assay: Assay) -> None:
    _damage(desk, first.id)
    report = assay.publish()
    assert report.promoted
    assert report.promoted.content_fingerprint == first.content_fingerprint
    assert _urls(assay, "about the radio")[0] == "https://docs.example/radio"


def test_a_damaged_generation_is_neither_rolled_back_to_nor_promoted(
    first: Generation, desk: Desk, assay: Assay
) -> None:
    desk.write("lamp", "The lamp is new.")
    second = assay.publish().build.generation
    _damage(desk, first.id)
    with pytest.raises(IndexCorrupt) as damaged:
        assay.rollback()
    assert "publish --rebuild" in damaged.value.hint
    assert "rollback" not in damaged.value.hint
    with pytest.raises(IndexCorrupt):
        assay.promote(first.id)
    assert assay.parts.catalog.live_id() == second.id


def test_a_rollback_past_a_damaged_generation_names_the_older_sound_one(desk: Desk, assay: Assay) -> None:
    ids = []
    for number in range(3):
        desk.write("lamp", f"The lamp is number {number}.")
        ids.append(assay.publish().build.generation.id)
    _damage(desk, ids[1])
    with pytest.raises(IndexCorrupt) as damaged:
        assay.rollback()
    assert f"`assay promote {ids[0]}`" in damaged.value.hint
    assert assay.promote(ids[0]).id == ids[0]


@pytest.mark.usefixtures("first")
def test_an_interrupt_after_a_build_was_dropped_leaves_no_warning(
    desk: Desk, assay: Assay, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    forget = assay.parts.catalog.forget

    def interrupted(generation_id: str) -> None:
        forget(generation_id)
        raise KeyboardInterrupt

    monkeypatch.setattr(assay.parts.catalog, "forget", interrupted)
    with pytest.raises(KeyboardInterrupt):
        assay.builds.ingest()
    assert not [record for record in caplog.records if record.levelname == "WARNING"]


@pytest.mark.usefixtures("first")
def test_a_second_build_at_the_same_time_is_refused(desk: Desk, assay: Assay) -> None:
    with assay.parts.catalog.build_lock(), desk.open() as other, pytest.raises(BuildInProgress):
        other.builds.ingest()


def test_a_candidate_that_another_publish_makes_live_meanwhile_is_no_error(
    desk: Desk, assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    validate = assay.evaluation.validate

    def overtaken(generation_id: str, **others: Any) -> Any:  # noqa: ANN401 - passed on as it is
        with desk.open() as other:
            other.publish()
        return validate(generation_id, **others)

    monkeypatch.setattr(assay.evaluation, "validate", overtaken)
    report = assay.publish()
    assert report.promoted
    assert report.promoted.state is State.LIVE
    assert report.promoted.id == report.build.generation.id


@pytest.mark.parametrize("meanwhile", ["rollback", "promote"])
def test_a_publish_that_overrides_what_somebody_made_live_meanwhile_says_so(
    first: Generation,
    desk: Desk,
    assay: Assay,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    meanwhile: str,
) -> None:
    desk.write("lamp", "The lamp is new.")
    second = assay.publish().promoted
    assert second
    desk.write("lamp", "The lamp is old.")
    validate = assay.evaluation.validate
    validated = []

    def overtaken(generation_id: str, **others: Any) -> Any:  # noqa: ANN401 - passed on as it is
        validated.append(generation_id)
        if len(validated) == 1:
            with desk.open() as other:
                other.rollback() if meanwhile == "rollback" else other.promote(first.id)
        return validate(generation_id, **others)

    monkeypatch.setattr(assay.evaluation, "validate", overtaken)
    report = assay.publish()
    assert validated == [report.build.generation.id] * 2
    (note,) = report.notes
    assert f"generation {second.id} was live" in note
    assert f"it replaced generation {first.id}" in note
    assert note in caplog.messages
    assert note in publish_body(report, report.build.generation)["notes"]
    assert assay.rollback().id == first.id


@pytest.mark.parametrize("by", ["returning", "replacing", "removing"])
@pytest.mark.parametrize("command", ["publish", "promote"])
def test_a_release_whose_candidate_another_command_drops_ends_as_changed_and_is_not_measured_again(
    first: Generation, desk: Desk, assay: Assay, monkeypatch: pytest.MonkeyPatch, command: str, by: str
) -> None:
    before = (desk.docs / "lamp.md").read_bytes()
    desk.write("lamp", "The lamp is new.")
    if command == "promote":
        assay.builds.ingest()
    validate, validated = assay.evaluation.validate, []

    def overtaken(generation_id: str, *others: Any, **named: Any) -> Any:  # noqa: ANN401 - passed on as it is
        validated.append(generation_id)
        validation = validate(generation_id, *others, **named)
        if by == "returning":
            (desk.docs / "lamp.md").write_bytes(before)
        else:
            desk.write("lamp", "The lamp is newer.")
        with desk.open() as other:
            build = other.builds.ingest()
            if by == "returning":
                assert build.dropped == (generation_id,)
            if by == "removing":
                other.parts.catalog.forget(generation_id)
        return validation

    monkeypatch.setattr(assay.evaluation, "validate", overtaken)
    with pytest.raises(LiveChanged, match="another command replaced or dropped it"):
        assay.publish() if command == "publish" else assay.promote()
    assert len(validated) == 1
    assert assay.parts.catalog.live_id() == first.id


@pytest.mark.parametrize("command", ["publish", "promote"])
@pytest.mark.usefixtures("first")
def test_a_release_is_refused_if_the_live_generation_never_stays(
    desk: Desk, assay: Assay, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    desk.write("lamp", "The lamp is new.")
    live = [one.id for one in (assay.publish().promoted, assay.rollback()) if one]
    desk.write("lamp", "The lamp is old.")
    if command == "promote":
        assay.builds.ingest()

    def overtaken(measure: Callable[..., Any]) -> Callable[..., Any]:
        def measured(*given: object, **named: object) -> Any:  # noqa: ANN401 - passed on as it is
            with desk.open() as other:
                live.reverse()
                other.promote(live[1])
            return measure(*given, **named)

        return measured

    for name in ("validate", "is_sound"):
        monkeypatch.setattr(assay.evaluation, name, overtaken(getattr(assay.evaluation, name)))
    with pytest.raises(LiveChanged, match="became the live one") as refused:
        assay.publish() if command == "publish" else assay.promote()
    assert "Nothing has changed" not in str(refused.value)
    assert next(one.state for one in assay.generations()) is State.CANDIDATE
    monkeypatch.undo()
    assert assay.publish().promoted


def test_a_publish_that_nobody_interferes_with_has_no_note(desk: Desk, assay: Assay) -> None:
    assert assay.publish().notes == ()
    desk.write("lamp", "The lamp is new.")
    assert assay.publish().notes == ()


def test_a_folder_without_pages_is_an_error_and_leaves_nothing_behind(
    first: Generation, desk: Desk, assay: Assay
) -> None:
    desk.remove(*PARTS)
    with pytest.raises(SourceError):
        assay.publish()
    assert assay.parts.catalog.live_id() == first.id
    assert assay.parts.store.generations() == [first.id]


def test_every_mode_gives_true_cosines_and_no_passage_twice(desk: Desk) -> None:
    for number in range(6):
        desk.write(f"copy-{number}", "Exactly the same words stand here.")
        (desk.docs / f"copy-{number}.md").write_text("# Copy\n\nExactly the same words stand here.\n", encoding="utf-8")
    with desk.open(gate={"max_alike_pages": 1.0, "max_repeated": 1.0}) as assay:
        assay.publish()
        for mode in Mode:
            hits = assay.search(Query("exactly the same words", 5, mode)).hits
            assert len({hit.chunk.content_hash for hit in hits}) == len(hits) >= 1
            with assay.searches.live.lease() as searcher:
                vector = assay.parts.embedder.embed_query("exactly the same words")
                compared = searcher.index.compare(vector, [hit.chunk.id for hit in hits], {})
                true = {chunk_id: one.cosine for chunk_id, one in compared.items()}
            assert [hit.similarity for hit in hits] == pytest.approx(
                [max(true[hit.chunk.id], 0.0) for hit in hits], abs=1e-5
            )


@pytest.mark.usefixtures("first")
def test_a_threshold_drops_what_is_less_similar(assay: Assay) -> None:
    everything = assay.search(Query("when is the gripper checked", 12)).hits
    limit = sorted(hit.similarity for hit in everything)[len(everything) // 2]
    kept = assay.search(Query("when is the gripper checked", 12, threshold=limit)).hits
    assert {hit.chunk.id for hit in kept} == {hit.chunk.id for hit in everything if hit.similarity >= limit}


@pytest.mark.usefixtures("first")
def test_a_filter_that_nothing_matches_gives_an_empty_answer(assay: Assay) -> None:
    assert assay.search(Query("gripper", 5, filters=Filters(sources=("elsewhere",)))).hits == ()
