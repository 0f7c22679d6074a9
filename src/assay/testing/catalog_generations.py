"""Tests of a catalog's generations: states, the live row, the build lock."""
# ruff: noqa: D102 - the name of a test is a sentence

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from assay.errors import (
    BuildInProgress,
    CatalogError,
    GenerationError,
    GenerationNotFound,
    InputError,
    InvalidTransition,
    LiveChanged,
)
from assay.model.generations import TRANSITIONS, Generation, State
from assay.ports import Catalog
from assay.testing.catalog_samples import NOON, built, generation, in_state, page

STEPS = [(current, target) for current in State for target in State]

NEEDING_A_GENERATION: dict[str, Callable[[Catalog], object]] = {
    "generation": lambda catalog: catalog.generation("nowhere"),
    "update_generation": lambda catalog: catalog.update_generation(generation("nowhere")),
    "transition": lambda catalog: catalog.transition("nowhere", State.CANDIDATE),
    "promote": lambda catalog: catalog.promote("nowhere", NOON),
    "known_pages": lambda catalog: catalog.known_pages("nowhere"),
    "add_documents": lambda catalog: catalog.add_documents("nowhere", [page("a")]),
    "include_revisions": lambda catalog: catalog.include_revisions("nowhere", []),
    "documents": lambda catalog: list(catalog.documents("nowhere")),
    "listing": lambda catalog: list(catalog.listing("nowhere")),
    "document": lambda catalog: catalog.document("nowhere", "https://docs.example.org/a"),
    "chunks": lambda catalog: list(catalog.chunks("nowhere")),
    "chunks of revisions": lambda catalog: list(catalog.chunks("nowhere", ["f" * 64])),
    "embedded_chunks": lambda catalog: catalog.embedded_chunks("nowhere", []),
    "checksums": lambda catalog: catalog.checksums("nowhere", []),
    "record_checksums": lambda catalog: catalog.record_checksums("nowhere", {}),
}


def agree(catalog: Catalog) -> None:
    """Assert that the live row and the states agree."""
    live = [each.id for each in catalog.generations() if each.state is State.LIVE]
    assert live == [each for each in [catalog.live_id()] if each is not None]


class GenerationConformance:
    """Part of CatalogConformance."""

    def test_a_new_catalog_has_no_generation_and_none_is_live(self, catalog: Catalog) -> None:
        assert catalog.generations() == []
        assert catalog.live_id() is None

    def test_a_generation_comes_back_as_it_was_added(self, catalog: Catalog) -> None:
        catalog.add_generation(generation("g1"))
        assert catalog.generation("g1") == generation("g1")

    def test_every_field_but_the_state_can_be_updated(self, catalog: Catalog) -> None:
        before = generation("g1")
        after = Generation(
            id="g1",
            state=State.BUILDING,
            created_at=before.created_at + timedelta(seconds=1),
            embedder=replace(before.embedder, model="other"),
            chunker=replace(before.chunker, max_tokens=None),
            sparse=replace(before.sparse, average_length=0.1 + 0.2),
            sources=(),
            parent="g0",
            documents=2,
            chunks=3,
            failed_pages=4,
            carried_pages=3,
            unread_documents={"adoc": 5, "Hugo (hugo.toml)": 1},
            has_variants=True,
            content_fingerprint="f" * 64,
            sealed_at=NOON,
            promoted_at=NOON + timedelta(hours=1),
            verdict={"result": "PASS", "measures": {"P@5": 0.8}, "topics": [1, None, "ü"]},
            reason="because",
            seconds={"read": 1.5, "embed": 2.0},
        )
        same = [f.name for f in fields(Generation) if getattr(after, f.name) == getattr(before, f.name)]
        assert same == ["id", "state"], "a field added to Generation must be stored too"
        catalog.add_generation(before)
        catalog.transition("g1", State.CANDIDATE)
        catalog.update_generation(after)
        assert catalog.generation("g1") == replace(after, state=State.CANDIDATE, promoted_at=None)

    def test_a_verdict_that_is_stored_after_it_went_live_elsewhere_does_not_undo_that(self, catalog: Catalog) -> None:
        catalog.add_generation(generation("g1"))
        read = catalog.transition("g1", State.CANDIDATE)
        catalog.promote("g1", NOON)
        catalog.update_generation(replace(read, verdict={"outcome": "PASS"}))
        stored = catalog.generation("g1")
        assert (stored.state, stored.promoted_at, stored.verdict) == (State.LIVE, NOON, {"outcome": "PASS"})

    def test_what_comes_back_shares_nothing_with_what_was_given(self, catalog: Catalog) -> None:
        seconds = {"read": 1.0}
        catalog.add_generation(replace(generation("g1"), seconds=seconds))
        seconds["read"] = 2.0
        assert catalog.generation("g1").seconds == {"read": 1.0}

    def test_a_verdict_that_is_not_json_is_refused(self, catalog: Catalog) -> None:
        catalog.add_generation(generation("g1"))
        for verdict in ({"measure": float("nan")}, {"measure": object()}):
            with pytest.raises(CatalogError):
                catalog.update_generation(replace(generation("g1"), verdict=verdict))
        assert catalog.generation("g1").verdict is None

    def test_times_come_back_in_utc(self, catalog: Catalog) -> None:
        east = datetime(2026, 1, 1, 1, 30, tzinfo=timezone(timedelta(hours=2)))
        catalog.add_generation(replace(generation("g1"), created_at=east))
        assert catalog.generation("g1").created_at == east
        assert catalog.generation("g1").created_at.tzinfo is UTC

    def test_a_time_without_a_zone_is_refused(self, catalog: Catalog) -> None:
        naive = datetime(2026, 1, 1)  # noqa: DTZ001 - the mistake under test
        with pytest.raises(InputError, match="time zone"):
            catalog.add_generation(replace(generation("g1"), created_at=naive))
        in_state(catalog, "g2", State.CANDIDATE)
        with pytest.raises(InputError, match="time zone"):
            catalog.promote("g2", naive)
        assert catalog.live_id() is None

    def test_generations_are_listed_newest_first(self, catalog: Catalog) -> None:
        for name, minute in [("b", 1), ("c", 2), ("a", 0), ("d", 1)]:
            catalog.add_generation(generation(name, minute=minute))
        assert [each.id for each in catalog.generations()] == ["c", "d", "b", "a"]

    def test_an_id_that_is_taken_is_refused(self, catalog: Catalog) -> None:
        catalog.add_generation(generation("g1"))
        with pytest.raises(GenerationError, match="g1"):
            catalog.add_generation(generation("g1", minute=5))
        assert catalog.generation("g1") == generation("g1")

    def test_a_generation_begins_as_building(self, catalog: Catalog) -> None:
        for state in set(State) - {State.BUILDING}:
            with pytest.raises(InvalidTransition):
                catalog.add_generation(replace(generation("g1"), state=state))
        assert catalog.generations() == []

    @pytest.mark.parametrize("name", NEEDING_A_GENERATION)
    def test_an_unknown_generation_is_an_error_and_not_an_empty_answer(self, catalog: Catalog, name: str) -> None:
        with pytest.raises(GenerationNotFound, match="nowhere"):
            NEEDING_A_GENERATION[name](catalog)

    @pytest.mark.parametrize("name", ["\udcff", "g\x001", "gé"])
    def test_an_impossible_id_is_an_unknown_generation(self, catalog: Catalog, name: str) -> None:
        with pytest.raises(GenerationNotFound) as refusal:
            catalog.generation(name)
        assert refusal.value.message.encode("utf-8")  # which a lone surrogate would prevent

    @pytest.mark.parametrize(("current", "target"), STEPS)
    def test_a_state_changes_as_the_state_machine_says(self, catalog: Catalog, current: State, target: State) -> None:
        in_state(catalog, "g1", current)
        if target in TRANSITIONS[current] and target is not State.LIVE:
            assert catalog.transition("g1", target).state is target
            assert catalog.generation("g1").state is target
        else:
            with pytest.raises(InvalidTransition, match="g1"):
                catalog.transition("g1", target)
            assert catalog.generation("g1").state is current
        agree(catalog)

    def test_a_reason_is_kept_through_later_steps(self, catalog: Catalog) -> None:
        catalog.add_generation(generation("g1"))
        catalog.transition("g1", State.CANDIDATE, reason="sealed early")
        assert catalog.transition("g1", State.REJECTED).reason == "sealed early"
        assert catalog.generation("g1").reason == "sealed early"

    @pytest.mark.parametrize("state", State)
    def test_only_a_candidate_or_a_retired_generation_is_promoted(self, catalog: Catalog, state: State) -> None:
        in_state(catalog, "g1", state)
        if state in {State.CANDIDATE, State.RETIRED}:
            assert catalog.promote("g1", NOON).state is State.LIVE
            assert catalog.live_id() == "g1"
        else:
            with pytest.raises(InvalidTransition, match="g1"):
                catalog.promote("g1", NOON)
            assert catalog.generation("g1").state is state
        agree(catalog)

    def test_promoting_retires_what_was_live_and_rolling_back_is_promoting_again(self, catalog: Catalog) -> None:
        in_state(catalog, "g1", State.LIVE)
        in_state(catalog, "g2", State.CANDIDATE)
        later = NOON + timedelta(days=1)
        assert catalog.promote("g2", later) == catalog.generation("g2")
        assert catalog.generation("g2").promoted_at == later
        assert (catalog.live_id(), catalog.generation("g1").state) == ("g2", State.RETIRED)
        catalog.promote("g1", later + timedelta(days=1))
        assert (catalog.live_id(), catalog.generation("g2").state) == ("g1", State.RETIRED)
        assert catalog.generation("g1").promoted_at == later + timedelta(days=1)
        agree(catalog)

    def test_a_refused_promotion_leaves_the_live_generation_live(self, catalog: Catalog) -> None:
        in_state(catalog, "g1", State.LIVE)
        in_state(catalog, "g2", State.REJECTED)
        with pytest.raises(InvalidTransition):
            catalog.promote("g2", NOON)
        assert catalog.live_id() == "g1"
        agree(catalog)

    @pytest.mark.parametrize("seed", range(5))
    def test_live_row_and_states_agree_after_any_steps(self, catalog: Catalog, seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311 - not for secrets
        names = [f"g{number}" for number in range(4)]
        for name in names:
            catalog.add_generation(generation(name))
        for _ in range(60):
            name = chance.choice(names)
            try:
                if chance.random() < 0.4:
                    catalog.promote(name, NOON)
                else:
                    catalog.transition(name, chance.choice([State.CANDIDATE, State.RETIRED]))
            except InvalidTransition:
                pass
            agree(catalog)

    def test_a_promotion_replaces_only_the_live_generation_that_it_names(self, catalog: Catalog) -> None:
        for name in ("g1", "g2", "g3"):
            in_state(catalog, name, State.CANDIDATE)
        for over in ("g2", "g1", "nowhere"):
            with pytest.raises(LiveChanged, match="no generation became"):
                catalog.promote("g1", NOON, over=over)
        assert catalog.promote("g1", NOON, over=None).state is State.LIVE
        for other in (None, "g3"):
            with pytest.raises(LiveChanged, match="generation g1 became"):
                catalog.promote("g2", NOON, over=other)
        assert (catalog.live_id(), catalog.generation("g2").state) == ("g1", State.CANDIDATE)
        assert catalog.promote("g2", NOON, over="g1").state is State.LIVE
        agree(catalog)

    def test_promotions_at_the_same_time_leave_one_live(self, catalog: Catalog) -> None:
        names = [f"g{number}" for number in range(6)]
        for name in names:
            in_state(catalog, name, State.CANDIDATE)
        with ThreadPoolExecutor(6) as threads:
            promoted = list(threads.map(lambda name: catalog.promote(name, NOON), names))
        assert {each.state for each in promoted} == {State.LIVE}
        agree(catalog)
        states = [each.state for each in catalog.generations()]
        assert sorted(states) == [State.LIVE, *[State.RETIRED] * 5]

    def test_of_many_promotions_of_one_candidate_one_succeeds(self, catalog: Catalog) -> None:
        in_state(catalog, "g1", State.CANDIDATE)

        def promoted(_: int) -> bool:
            try:
                catalog.promote("g1", NOON)
            except InvalidTransition:
                return False
            return True

        with ThreadPoolExecutor(6) as threads:
            assert sum(threads.map(promoted, range(6))) == 1
        agree(catalog)

    def test_a_forgotten_generation_is_gone(self, catalog: Catalog) -> None:
        for state in set(State) - {State.LIVE}:
            in_state(catalog, f"g-{state}", state)
            catalog.forget(f"g-{state}")
        assert catalog.generations() == []
        agree(catalog)

    def test_the_live_generation_is_not_forgotten(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("a"))
        catalog.promote("g1", NOON)
        with pytest.raises(InvalidTransition, match="live"):
            catalog.forget("g1")
        assert catalog.live_id() == "g1"
        assert len(list(catalog.chunks("g1"))) == 1

    def test_forgetting_what_is_not_there_does_nothing(self, catalog: Catalog) -> None:
        catalog.forget("nowhere")
        in_state(catalog, "g1", State.FAILED)
        catalog.forget("g1")
        catalog.forget("g1")
        assert catalog.generations() == []

    def test_an_id_can_be_used_again_once_it_is_forgotten(self, catalog: Catalog) -> None:
        built(catalog, "g1", page("a"))
        catalog.forget("g1")
        catalog.add_generation(generation("g1"))
        assert list(catalog.documents("g1")) == []

    def test_only_one_build_can_hold_the_lock(self, catalog: Catalog) -> None:
        with catalog.build_lock(), pytest.raises(BuildInProgress, match="running"), catalog.build_lock():
            pytest.fail("two builds at the same time")
        with catalog.build_lock():
            pass

    def test_a_failed_build_releases_the_lock(self, catalog: Catalog) -> None:
        with pytest.raises(ZeroDivisionError), catalog.build_lock():
            raise ZeroDivisionError
        with catalog.build_lock():
            pass

    def test_a_catalog_can_be_read_and_written_while_a_build_holds_the_lock(self, catalog: Catalog) -> None:
        with catalog.build_lock():
            in_state(catalog, "g1", State.CANDIDATE)
            with ThreadPoolExecutor(1) as threads:
                threads.submit(catalog.promote, "g1", NOON).result()
            assert catalog.live_id() == "g1"

    def test_a_catalog_that_is_in_order_passes_its_check(self, catalog: Catalog) -> None:
        catalog.check()
        in_state(catalog, "g1", State.LIVE)
        catalog.check()

    def test_closing_twice_does_nothing(self, catalog: Catalog) -> None:
        catalog.close()
        catalog.close()
