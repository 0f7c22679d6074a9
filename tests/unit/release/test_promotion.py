"""What may go live, what may not, and what is kept."""

import json
import logging
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.worlds import World

from assay.errors import (
    AssayError,
    GenerationNotFound,
    IndexCorrupt,
    IndexNotFound,
    InvalidTransition,
    PromotionRefused,
    PromotionUndecided,
    StoreUnavailable,
)
from assay.model.evaluation import Finding, Outcome, Verdict
from assay.model.generations import Generation, State, last_judged
from assay.ports import IndexSpec, VectorIndex
from assay.release.promotion import GenerationLifecycle, has_pass, verdict_record
from assay.testing.catalog_samples import generation, page

GATE = "a" * 64
TEST_SET = "e" * 64


def _judged(
    one: Generation,
    outcome: Outcome = Outcome.PASS,
    gate: str = GATE,
    content: str | None = None,
    test_set: str | None = TEST_SET,
) -> Verdict:
    finding = Finding("pages", outcome, 1.0, "a limit", "some detail")
    fingerprint = one.content_fingerprint if content is None else content
    at = datetime(2026, 3, 1, tzinfo=UTC)
    return Verdict(outcome, one.id, gate, fingerprint, at, (finding,), ("a note",), test_set, "handbook", "topics.yaml")


class Desk(World):
    """A world with releases that keep a few generations."""

    def __init__(self, keep: int = 3) -> None:
        super().__init__()
        self.lifecycle = GenerationLifecycle(self.catalog, self.store, keep)
        self._minute = 0

    def candidate(self, name: str) -> Generation:
        """A candidate of its own content, a minute younger than the one before."""
        self._minute += 1
        return self.build(name, page("wheel", f"The wheel of {name} turns."), minute=self._minute)

    def publish(self, name: str) -> Generation:
        """A candidate that passed and went live."""
        self.lifecycle.record(_judged(self.candidate(name)))
        return self.lifecycle.promote(name, GATE, TEST_SET)

    def states(self) -> dict[str, str]:
        """Every generation's state."""
        return {one.id: one.state.value for one in self.catalog.generations()}


@pytest.fixture
def desk() -> Desk:
    return Desk()


# --- the alias for other programs ----------------------------------------------------------------------------------


@pytest.fixture
def shown(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The generations that the alias was switched to."""
    switched: list[str] = []
    monkeypatch.setattr(desk.store, "switch_alias", switched.append)
    return switched


def test_the_alias_follows_every_release(desk: Desk, shown: list[str]) -> None:
    desk.publish("g1")
    desk.publish("g2")
    desk.lifecycle.rollback()
    desk.lifecycle.promote("g2", GATE, TEST_SET)
    assert shown == ["g1", "g2", "g1", "g2"]


def test_no_alias_is_switched_before_the_first_release(desk: Desk, shown: list[str]) -> None:
    desk.candidate("g1")
    desk.lifecycle.show()
    assert shown == []


def test_a_release_does_not_fail_with_its_alias(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: str) -> None:
        raise StoreUnavailable("The server is gone.")

    monkeypatch.setattr(desk.store, "switch_alias", fail)
    assert desk.publish("g1").state is State.LIVE
    assert "The alias does not name generation g1 yet: The server is gone." in caplog.text


# --- candidate to live ---------------------------------------------------------------------------------------------


def test_a_candidate_that_passed_goes_live_and_the_one_before_retires(desk: Desk) -> None:
    desk.publish("g1")
    promoted = desk.publish("g2")
    assert (promoted.id, promoted.state, promoted.promoted_at is None) == ("g2", State.LIVE, False)
    assert desk.states() == {"g1": "retired", "g2": "live"}
    assert desk.catalog.live_id() == "g2"


def test_a_candidate_that_was_not_checked_is_refused(desk: Desk) -> None:
    desk.candidate("g1")
    with pytest.raises(PromotionRefused, match=r"g1 has not been checked.*assay publish"):
        desk.lifecycle.promote("g1", GATE, TEST_SET)
    assert desk.catalog.live_id() is None


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome.FAIL, r"g1 did not pass: FAIL:.*some detail"),
        (Outcome.INCONCLUSIVE, r"g1 cannot be decided yet: .*some detail.*`assay label`"),
    ],
)
def test_a_candidate_that_did_not_pass_is_refused_with_the_reason(desk: Desk, outcome: Outcome, words: str) -> None:
    desk.lifecycle.record(_judged(desk.candidate("g1"), outcome))
    with pytest.raises(PromotionRefused, match=words):
        desk.lifecycle.promote("g1", GATE, TEST_SET)
    assert desk.catalog.live_id() is None


def test_a_candidate_that_lost_content_is_refused_with_the_advice_to_restore_it(desk: Desk) -> None:
    verdict = _judged(desk.candidate("g1"), Outcome.INCONCLUSIVE)
    (finding,) = verdict.findings
    desk.lifecycle.record(replace(verdict, findings=(replace(finding, check="known answers"),)))
    with pytest.raises(PromotionUndecided, match=r"Restore the pages that lost content and run `assay publish`"):
        desk.lifecycle.promote("g1", GATE, TEST_SET)


def test_a_pass_for_other_content_does_not_count(desk: Desk) -> None:
    desk.lifecycle.record(_judged(desk.candidate("g1"), content="b" * 64))
    with pytest.raises(PromotionRefused, match="is for other content"):
        desk.lifecycle.promote("g1", GATE, TEST_SET)
    assert desk.catalog.live_id() is None


def test_a_pass_for_other_limits_does_not_count(desk: Desk) -> None:
    desk.lifecycle.record(_judged(desk.candidate("g1"), gate="c" * 64))
    with pytest.raises(PromotionRefused, match="is for other limits or search settings"):
        desk.lifecycle.promote("g1", GATE, TEST_SET)
    assert desk.catalog.live_id() is None


@pytest.mark.parametrize(("judged_by", "now"), [("f" * 64, TEST_SET), (None, TEST_SET), (TEST_SET, None)])
def test_a_pass_by_another_test_set_does_not_count(desk: Desk, judged_by: str | None, now: str | None) -> None:
    one = desk.catalog.generation(desk.lifecycle.record(_judged(desk.candidate("g1"), test_set=judged_by)).id)
    assert not has_pass(one, GATE, now, None)
    with pytest.raises(PromotionRefused, match="is for another test set"):
        desk.lifecycle.promote("g1", GATE, now)
    assert desk.catalog.live_id() is None
    assert has_pass(one, GATE, judged_by, None)


@pytest.mark.parametrize(
    ("compared", "live", "holds"),
    [
        ("g0", "g0", True),
        ("g0", "g9", False),
        (None, "g0", False),
        ("g0", None, True),
        (None, None, True),
    ],
)
def test_a_pass_holds_against_the_live_generation_that_it_was_compared_with(
    desk: Desk, compared: str | None, live: str | None, holds: bool
) -> None:
    one = desk.lifecycle.record(replace(_judged(desk.candidate("g1")), live=compared))
    assert has_pass(one, GATE, TEST_SET, live) is holds


def test_a_pass_of_an_older_version_names_no_live_generation(desk: Desk) -> None:
    record = {key: value for key, value in verdict_record(_judged(desk.candidate("g1"))).items() if key != "live"}
    one = replace(desk.catalog.generation("g1"), verdict=record)
    assert has_pass(one, GATE, TEST_SET, None)
    assert not has_pass(one, GATE, TEST_SET, "g0")


def test_the_last_verdict_is_the_one_that_counts(desk: Desk) -> None:
    candidate = desk.candidate("g1")
    desk.lifecycle.record(_judged(candidate))
    desk.lifecycle.record(_judged(candidate, Outcome.FAIL))
    with pytest.raises(PromotionRefused):
        desk.lifecycle.promote("g1", GATE, TEST_SET)
    desk.lifecycle.record(_judged(candidate))
    assert desk.lifecycle.promote("g1", GATE, TEST_SET).state is State.LIVE


def test_a_verdict_is_stored_as_it_is_shown(desk: Desk) -> None:
    verdict = _judged(desk.candidate("g1"))
    desk.lifecycle.record(verdict)
    stored = desk.catalog.generation("g1").verdict
    assert stored
    assert stored == json.loads(json.dumps(verdict_record(verdict)))
    assert (stored["outcome"], stored["at"], stored["notes"]) == ("PASS", "2026-03-01T00:00:00Z", ["a note"])


def test_a_verdict_on_a_generation_that_there_is_not_is_refused(desk: Desk) -> None:
    with pytest.raises(GenerationNotFound):
        desk.lifecycle.record(_judged(generation("nobody")))


# --- every other step ----------------------------------------------------------------------------------------------


def _in_state(desk: Desk, state: State) -> str:
    if state is State.BUILDING:
        desk.catalog.add_generation(generation("g1"))
    elif state is State.FAILED:
        desk.catalog.add_generation(generation("g1"))
        desk.catalog.transition("g1", State.FAILED)
    elif state is State.REJECTED:
        desk.lifecycle.reject(_judged(desk.candidate("g1"), Outcome.FAIL))
    elif state is State.CANDIDATE:
        desk.candidate("g1")
    else:
        desk.publish("g1")
        if state is State.RETIRED:
            desk.publish("g2")
    assert desk.catalog.generation("g1").state is state
    return "g1"


@pytest.mark.parametrize("state", [State.BUILDING, State.FAILED, State.REJECTED, State.LIVE])
def test_only_a_candidate_or_a_retired_generation_goes_live(desk: Desk, state: State) -> None:
    name = _in_state(desk, state)
    before = desk.states()
    with pytest.raises(InvalidTransition, match=f"is {state}"):
        desk.lifecycle.promote(name, GATE, TEST_SET)
    assert desk.states() == before


def test_a_retired_generation_goes_live_again_under_whatever_limits(desk: Desk) -> None:
    name = _in_state(desk, State.RETIRED)
    assert desk.lifecycle.promote(name, "d" * 64, TEST_SET).state is State.LIVE
    assert desk.states() == {"g1": "live", "g2": "retired"}


def test_a_generation_that_there_is_not_cannot_go_live(desk: Desk) -> None:
    with pytest.raises(GenerationNotFound, match="nobody"):
        desk.lifecycle.promote("nobody", GATE, TEST_SET)


@pytest.mark.parametrize("state", [State.BUILDING, State.FAILED, State.REJECTED, State.LIVE, State.RETIRED])
def test_only_a_candidate_can_be_rejected(desk: Desk, state: State) -> None:
    name = _in_state(desk, state)
    with pytest.raises(InvalidTransition):
        desk.lifecycle.reject(_judged(desk.catalog.generation(name), Outcome.FAIL))


def test_a_rejected_candidate_keeps_the_reason(desk: Desk) -> None:
    rejected = desk.lifecycle.reject(_judged(desk.candidate("g1"), Outcome.FAIL))
    assert (rejected.state, rejected.reason) == (State.REJECTED, "FAIL: pages: some detail")


# --- damaged indexes -----------------------------------------------------------------------------------------------


def _lose(desk: Desk, name: str) -> type[AssayError]:
    desk.store.delete(name)
    return IndexNotFound


def _leave_half_written(desk: Desk, name: str) -> type[AssayError]:
    desk.store._generations[name].sealed = False
    return IndexCorrupt


@pytest.mark.parametrize("damage", [_lose, _leave_half_written])
def test_what_cannot_be_opened_does_not_go_live_and_live_stays(desk: Desk, damage) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001 - one of the two above
    desk.publish("g1")
    desk.lifecycle.record(_judged(desk.candidate("g2")))
    error = damage(desk, "g2")
    with pytest.raises(error):
        desk.lifecycle.promote("g2", GATE, TEST_SET)
    assert desk.states() == {"g1": "live", "g2": "candidate"}


@pytest.mark.parametrize("damage", [_lose, _leave_half_written])
def test_what_cannot_be_opened_is_not_gone_back_to_and_live_stays(desk: Desk, damage) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001 - one of the two above
    desk.publish("g1")
    desk.publish("g2")
    error = damage(desk, "g1")
    with pytest.raises(error):
        desk.lifecycle.rollback()
    assert desk.states() == {"g1": "retired", "g2": "live"}


# --- going back ----------------------------------------------------------------------------------------------------


def test_going_back_makes_the_one_before_live_and_twice_the_one_before_that(desk: Desk) -> None:
    for name in ("g1", "g2", "g3"):
        desk.publish(name)
    assert desk.lifecycle.rollback().id == "g2"
    assert desk.states() == {"g1": "retired", "g2": "live", "g3": "retired"}
    previous = desk.lifecycle.previous()
    assert previous is not None
    assert desk.lifecycle.rollback().id == previous.id == "g1"
    assert desk.lifecycle.previous() is None
    assert desk.states() == {"g1": "live", "g2": "retired", "g3": "retired"}
    with pytest.raises(GenerationNotFound, match=r"no earlier .*after the live one: g2, g3\..*`assay promote g2`"):
        desk.lifecycle.rollback()
    assert desk.catalog.live_id() == "g1"


def test_there_is_nothing_to_go_back_to_before_the_second_release(desk: Desk) -> None:
    with pytest.raises(GenerationNotFound):
        desk.lifecycle.rollback()
    desk.publish("g1")
    with pytest.raises(GenerationNotFound):
        desk.lifecycle.rollback()
    assert desk.catalog.live_id() == "g1"


def test_going_back_passes_over_what_was_never_live(desk: Desk) -> None:
    desk.publish("g1")
    desk.lifecycle.reject(_judged(desk.candidate("g2"), Outcome.FAIL))
    desk.publish("g3")
    desk.candidate("g4")
    assert desk.lifecycle.rollback().id == "g1"


def test_what_was_gone_back_from_is_not_gone_back_to_later(desk: Desk) -> None:
    desk.publish("g1")
    desk.publish("g2")
    assert desk.lifecycle.rollback().id == "g1"
    desk.publish("g3")
    assert desk.lifecycle.rollback().id == "g1"
    assert desk.states() == {"g1": "live", "g2": "retired", "g3": "retired"}


def test_going_back_removes_nothing(desk: Desk) -> None:
    for name in ("g1", "g2", "g3"):
        desk.publish(name)
    desk.lifecycle.rollback()
    assert desk.store.generations() == ["g1", "g2", "g3"]


# --- what is kept --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keep", "kept"), [(1, ["g5"]), (2, ["g4", "g5"]), (3, ["g3", "g4", "g5"]), (9, ["g1", "g2", "g3", "g4", "g5"])]
)
def test_the_newest_that_were_live_are_kept_the_live_one_included(keep: int, kept: list[str]) -> None:
    desk = Desk(keep)
    for name in ("g1", "g2", "g3", "g4", "g5"):
        desk.publish(name)
    assert sorted(desk.states()) == kept
    assert desk.store.generations() == kept


def test_what_was_live_last_is_kept_though_it_was_built_first() -> None:
    desk = Desk(2)
    for name in ("g1", "g2"):
        desk.publish(name)
    desk.lifecycle.rollback()
    desk.publish("g3")
    assert desk.states() == {"g1": "retired", "g3": "live"}


def test_candidates_and_rejected_ones_do_not_count_and_are_not_removed() -> None:
    desk = Desk(1)
    desk.lifecycle.reject(_judged(desk.candidate("g1"), Outcome.FAIL))
    desk.publish("g2")
    desk.candidate("g3")
    assert desk.lifecycle.retire() == []
    assert desk.states() == {"g1": "rejected", "g2": "live", "g3": "candidate"}


def test_without_a_live_one_as_many_retired_ones_are_kept() -> None:
    desk = Desk(2)
    for name in ("g1", "g2"):
        desk.publish(name)
    desk.catalog.transition("g2", State.RETIRED)
    assert desk.lifecycle.retire() == []


def test_what_cannot_be_removed_is_logged_stays_listed_and_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    desk = Desk(1)
    desk.publish("g1")
    real = desk.store.delete

    def fail(name: str) -> None:
        raise StoreUnavailable(f"{name} is locked.")

    monkeypatch.setattr(desk.store, "delete", fail)
    with caplog.at_level(logging.WARNING):
        assert desk.publish("g2").state is State.LIVE
    assert "Generation g1 could not be removed: g1 is locked." in caplog.text
    assert desk.states() == {"g1": "failed", "g2": "live"}
    with pytest.raises(InvalidTransition, match="g1 is failed"):
        desk.lifecycle.promote("g1", GATE, TEST_SET)
    monkeypatch.setattr(desk.store, "delete", real)
    desk.publish("g3")
    assert desk.states() == {"g3": "live"}


def test_one_that_cannot_be_removed_does_not_keep_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(9)
    for name in ("g1", "g2", "g3"):
        desk.publish(name)
    real = desk.store.delete

    def fail_once(name: str) -> None:
        if name == "g2":
            raise StoreUnavailable("g2 is locked.")
        real(name)

    monkeypatch.setattr(desk.store, "delete", fail_once)
    strict = GenerationLifecycle(desk.catalog, desk.store, keep=1)
    assert strict.retire() == ["g1"]
    assert desk.states() == {"g2": "failed", "g3": "live"}


# --- releases by several commands at the same time -----------------------------------------------------------------


def test_one_that_goes_live_while_retention_begins_is_not_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(9)
    for name in ("g1", "g2", "g3"):
        desk.publish(name)
    real = desk.catalog.transition

    def promote_first(name: str, target: State, *, reason: str | None = None) -> Generation:
        if name == "g1":
            desk.catalog.promote("g1", datetime.now(UTC))
        return real(name, target, reason=reason)

    monkeypatch.setattr(desk.catalog, "transition", promote_first)
    assert GenerationLifecycle(desk.catalog, desk.store, keep=1).retire() == ["g2"]
    assert desk.states() == {"g1": "live", "g3": "retired"}
    assert desk.store.generations() == ["g1", "g3"]


def test_one_cannot_go_live_once_its_removal_has_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(9)
    for name in ("g1", "g2"):
        desk.publish(name)
    real = desk.store.delete

    def roll_back_first(name: str) -> None:
        with pytest.raises(GenerationNotFound, match="no earlier generation"):
            desk.lifecycle.rollback()
        with pytest.raises(InvalidTransition, match="g1 is failed"):
            desk.lifecycle.promote("g1", GATE, TEST_SET)
        real(name)

    monkeypatch.setattr(desk.store, "delete", roll_back_first)
    assert GenerationLifecycle(desk.catalog, desk.store, keep=1).retire() == ["g1"]
    assert desk.states() == {"g2": "live"}


def removing(desk: Desk, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another command removes a generation while this one opens its index for the first time."""
    real = desk.store.open

    def open_late(generation: str, spec: IndexSpec, *, patient: bool = False) -> VectorIndex:
        if generation == name and name in desk.states():
            desk.catalog.transition(name, State.FAILED, reason="removed")
            desk.store.delete(name)
            desk.catalog.forget(name)
        return real(generation, spec, patient=patient)

    monkeypatch.setattr(desk.store, "open", open_late)


def test_going_back_passes_over_one_that_is_removed_meanwhile(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("g1", "g2", "g3"):
        desk.publish(name)
    removing(desk, "g2", monkeypatch)
    assert desk.lifecycle.rollback().id == "g1"


def test_promoting_one_that_is_removed_meanwhile_says_that_it_is_gone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("g1", "g2"):
        desk.publish(name)
    removing(desk, "g1", monkeypatch)
    with pytest.raises(GenerationNotFound, match="g1"):
        desk.lifecycle.promote("g1", GATE, TEST_SET)
    assert desk.states() == {"g2": "live"}


def test_a_verdict_of_one_generation_says_nothing_of_another_with_other_content(desk: Desk) -> None:
    passed = _judged(desk.candidate("g1"))
    other = desk.candidate("g2")
    desk.catalog.update_generation(replace(other, verdict=verdict_record(passed)))
    with pytest.raises(PromotionRefused):
        desk.lifecycle.promote("g2", GATE, TEST_SET)


def test_a_verdict_without_a_test_set_carries_the_last_one_with_it(desk: Desk) -> None:
    desk.publish("g1")
    structural = replace(_judged(desk.candidate("g2"), test_set=None), test_set_path=None)
    for at in (3, 4):
        desk.lifecycle.record(replace(structural, at=datetime(2026, at, 1, tzinfo=UTC)))
    generations = desk.catalog.generations()
    desk.catalog.transition("g2", State.REJECTED)
    judged = last_judged(desk.catalog.generation(name) for name in ("g2",))
    assert judged is not None
    assert (judged["generation"], judged["test_set_path"]) == ("g1", "topics.yaml")
    content = desk.catalog.generation("g2").content_fingerprint
    assert last_judged(generations, content) is None
