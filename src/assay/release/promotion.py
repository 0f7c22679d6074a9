"""Promotion, rollback and retention. A candidate is promoted only with a PASS that matches it."""

import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime

from assay.errors import (
    GenerationNotFound,
    IndexCorrupt,
    IndexNotFound,
    InvalidTransition,
    PromotionRefused,
    PromotionUndecided,
    VectorStoreError,
)
from assay.model.counting import some_of
from assay.model.evaluation import Outcome, Verdict
from assay.model.generations import JUDGED_BEFORE, Generation, State, check_transition, last_judged
from assay.ports import ANY_LIVE, Catalog, IndexSpec, VectorStore

logger = logging.getLogger(__name__)


_NAMED = 3

_REMOVED = "It is removed, because newer generations are kept (release.keep)."
"""The reason stored with a generation that retention removes."""

_LOST = frozenset({"judgments found", "known answers", "lost topics"})
"""Checks that are undecided if pages lost content that a test set asks for."""

_MISMATCHES = {
    "generation": "another generation",
    "content_fingerprint": "other content",
    "gate": "other limits or search settings",
    "test_set": "another test set or version of it",
}


class GenerationLifecycle:
    """Records verdicts; promotes, rejects, rolls back and removes generations.

    keep: number of live and retired generations to keep; 1 or more.
    """

    def __init__(self, catalog: Catalog, store: VectorStore, keep: int) -> None:
        self._catalog = catalog
        self._store = store
        self._keep = keep

    def record(self, verdict: Verdict) -> Generation:
        """Store a verdict with its generation. Raises GenerationNotFound.

        One without a test set carries the last one with a test set: a run without it does not make it forgotten.
        """
        record = verdict_record(verdict)
        if verdict.test_set_path is None and (judged := last_judged(self._catalog.generations())) is not None:
            record = {**record, JUDGED_BEFORE: judged}
        generation = replace(self._catalog.generation(verdict.generation), verdict=record)
        self._catalog.update_generation(generation)
        return generation

    def rename_test_set(self, test_set: str, path: str) -> None:
        """Store another path with every verdict by a test set. test_set: its fingerprint."""
        for generation in self._catalog.generations():
            verdict = generation.verdict and _with_path(generation.verdict, test_set, path)
            if verdict != generation.verdict:
                self._catalog.update_generation(replace(generation, verdict=verdict))

    def reject(self, verdict: Verdict) -> Generation:
        """Reject a candidate that failed its gate. Raises InvalidTransition, GenerationNotFound."""
        return self._catalog.transition(verdict.generation, State.REJECTED, reason=verdict.summary)

    def promote(
        self, generation_id: str, gate: str, test_set: str | None, *, over: str | None = ANY_LIVE
    ) -> Generation:
        """Make a generation live. A retired one needs no new verdict, since it had a PASS.

        gate: fingerprint of the current limits; a verdict under other limits does not count.
        test_set: fingerprint of the current test set; None if only the structure is judged. A verdict by another
            test set does not count.
        over: id of the generation that a candidate was measured against, which must still be live; None for none.

        Raises PromotionRefused, LiveChanged, InvalidTransition, GenerationNotFound, VectorStoreError if its index
        cannot be opened.
        """
        generation = self._catalog.generation(generation_id)
        check_transition(generation.id, generation.state, State.LIVE)
        if generation.state is State.CANDIDATE:
            _require_pass(generation, gate, test_set)
        try:
            self._require_index(generation)
        except (IndexCorrupt, IndexNotFound):
            now = self._catalog.generation(generation.id)
            check_transition(now.id, now.state, State.LIVE)  # another command may have removed it meanwhile
            raise
        promoted = self._catalog.promote(generation.id, datetime.now(UTC), over=over)
        self.show()
        self.retire()
        return promoted

    def rollback(self) -> Generation:
        """Make the most recently live of the older generations live.

        Older means built before the live one: a second rollback goes further back and never returns to a generation
        that was rolled back.

        Raises GenerationNotFound; VectorStoreError if its index cannot be opened. Then nothing changes.
        """
        generation = self.previous()
        if generation is None:
            raise self._nothing_earlier()
        try:
            self._require_index(generation)
            promoted = self._catalog.promote(generation.id, datetime.now(UTC))
        except (IndexCorrupt, IndexNotFound, InvalidTransition, GenerationNotFound) as error:
            previous = self.previous()
            if previous is None or previous.id != generation.id:
                return self.rollback()  # another command removed it, or made another one live meanwhile
            if isinstance(error, IndexCorrupt | IndexNotFound):
                raise type(error)(error.message, hint=self._way_past(generation)) from None
            raise
        self.show()
        return promoted

    def _way_past(self, damaged: Generation) -> str:
        """The next step if the index of the previous generation is damaged."""
        for older in self._retired():
            if older.id < damaged.id and self._is_index_readable(older):
                return (
                    f"`assay promote {older.id}` makes the older one live; `assay publish --rebuild` builds a new one."
                )
        return "`assay publish --rebuild` builds a new one from the pages as they are now."

    def _is_index_readable(self, generation: Generation) -> bool:
        try:
            self._require_index(generation)
        except VectorStoreError:
            return False
        return True

    def _nothing_earlier(self) -> GenerationNotFound:
        newer = [one.id for one in self._retired()]
        if not newer:
            return GenerationNotFound(
                "There is no earlier generation to roll back to.",
                hint="`assay generations` lists those that are kept; `assay promote ID` makes any retired one live.",
            )
        return GenerationNotFound(
            f"There is no earlier generation to roll back to; built after the live one: {some_of(newer, _NAMED)}.",
            hint=f"`assay promote {newer[0]}` makes that one live.",
        )

    def previous(self) -> Generation | None:
        """The generation that a rollback makes live; None if there is none."""
        live_id = self._catalog.live_id()
        return next((one for one in self._retired() if live_id is None or one.id < live_id), None)

    def show(self) -> None:
        """Switch the vector store's alias to the live generation, if there is one.

        Only the catalog's row decides which generation is live: a failure is logged, and the next publish tries again.
        """
        live_id = self._catalog.live_id()
        if live_id is None:
            return
        try:
            self._store.switch_alias(live_id)
        except VectorStoreError as error:
            logger.warning("The alias does not name generation %s yet: %s", live_id, error)

    def _retired(self) -> list[Generation]:
        """The retired generations, the most recently live first."""
        retired = [generation for generation in self._catalog.generations() if generation.state is State.RETIRED]
        return sorted(retired, key=lambda one: (one.promoted_at or one.created_at, one.id), reverse=True)

    def _require_index(self, generation: Generation) -> None:
        """Open the index once: an index that cannot be opened must not replace one that answers."""
        self._store.open(generation.id, IndexSpec.of(generation), patient=True).close()

    def retire(self) -> list[str]:
        """Remove the retired generations beyond `keep`, and those whose removal failed before. Returns their ids.

        A generation loses its state first, in one transaction, so that no other command makes it live while its index
        is deleted. A removal that is interrupted is finished by the next build or promotion.
        """
        live = 0 if self._catalog.live_id() is None else 1
        for generation in self._retired()[max(self._keep - live, 0) :]:
            with suppress(InvalidTransition, GenerationNotFound):  # it went live again, or is removed already
                self._catalog.transition(generation.id, State.FAILED, reason=_REMOVED)
        removed = []
        for generation in self._catalog.generations():
            if generation.state is not State.FAILED or generation.reason != _REMOVED:
                continue
            try:
                self._store.delete(generation.id)
            except VectorStoreError as error:
                # The promotion succeeded; the next one tries to remove this again.
                logger.warning("Generation %s could not be removed: %s", generation.id, error.message)
                continue
            self._catalog.forget(generation.id)
            removed.append(generation.id)
        return removed


def verdict_record(verdict: Verdict) -> Mapping[str, object]:
    """A verdict as stored in the catalog and shown in reports."""
    return {
        "outcome": verdict.outcome.value,
        "summary": verdict.summary,
        "generation": verdict.generation,
        "gate": verdict.gate,
        "content_fingerprint": verdict.content_fingerprint,
        "at": verdict.at.isoformat().replace("+00:00", "Z"),
        "findings": [asdict(finding) | {"outcome": finding.outcome.value} for finding in verdict.findings],
        "notes": list(verdict.notes),
        "test_set": verdict.test_set,
        "test_set_name": verdict.test_set_name,
        "test_set_path": verdict.test_set_path,
        "live": verdict.live,
    }


def _with_path(verdict: Mapping[str, object], test_set: str, path: str) -> Mapping[str, object]:
    """A stored verdict with another path of this test set, also in the earlier one that it remembers."""
    earlier = verdict.get(JUDGED_BEFORE)
    if verdict.get("test_set_path") and verdict.get("test_set") == test_set:
        return {**verdict, "test_set_path": path}
    return {**verdict, JUDGED_BEFORE: _with_path(earlier, test_set, path)} if isinstance(earlier, Mapping) else verdict


def lost_content(verdict: Mapping[str, object]) -> bool:
    """Whether a stored verdict is undecided because passages that the test set asks for are gone."""
    findings = verdict.get("findings")
    undecided = {
        one.get("check")
        for one in (findings if isinstance(findings, list | tuple) else ())
        if isinstance(one, Mapping) and one.get("outcome") == Outcome.INCONCLUSIVE.value
    }
    return not undecided.isdisjoint(_LOST)


def _way_on(verdict: Mapping[str, object]) -> str:
    """The next step after an undecided verdict."""
    if lost_content(verdict):
        return (
            "Restore the pages that lost content and run `assay publish` again; or, if their new content is right, "
            "correct the labels (`assay testset repair`, `assay label`) and run `assay promote` again"
        )
    return "Add topics or labels (`assay label`) if too few, fix topics that failed; then `assay promote` again"


def has_pass(generation: Generation, gate: str, test_set: str | None, live: str | None) -> bool:
    """Whether the stored verdict is a PASS for this content, these limits and this test set.

    live: id of the generation that its answers must have been compared with; None if the gate compares with none.
    """
    try:
        _require_pass(generation, gate, test_set)
    except PromotionRefused:
        return False
    return live is None or (generation.verdict or {}).get("live") == live


def _require_pass(generation: Generation, gate: str, test_set: str | None) -> None:
    """Raise PromotionRefused unless the stored verdict is a PASS for this content, these limits and this test set."""
    verdict = generation.verdict
    if verdict is None:
        raise PromotionRefused(
            f"Generation {generation.id} has not been checked.", hint="`assay publish` checks and promotes it."
        )
    if verdict.get("outcome") == Outcome.INCONCLUSIVE.value:
        why = str(verdict.get("summary")).removeprefix("FAIL: inconclusive: ")
        raise PromotionUndecided(
            f"Generation {generation.id} cannot be decided yet: {why}",
            hint=f"{_way_on(verdict)}.",
        )
    if verdict.get("outcome") != Outcome.PASS.value:
        raise PromotionRefused(
            f"Generation {generation.id} did not pass: {verdict.get('summary')}",
            hint="Fix what the checks found and run `assay publish` again.",
        )
    asked = {
        "generation": generation.id,
        "content_fingerprint": generation.content_fingerprint,
        "gate": gate,
        "test_set": test_set,
    }
    other = [_MISMATCHES[name] for name, value in asked.items() if verdict.get(name) != value]
    if other:
        raise PromotionRefused(
            f"The PASS of generation {generation.id} is for {' and '.join(other)}.",
            hint="`assay promote` checks it again.",
        )
