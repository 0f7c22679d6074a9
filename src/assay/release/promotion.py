"""Candidate → live, and back. Only a generation that a matching PASS speaks of is promoted."""

import logging
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime

from assay.errors import GenerationNotFound, PromotionRefused, VectorStoreError
from assay.model.evaluation import Outcome, Verdict
from assay.model.generations import Generation, State, check_transition
from assay.ports import Catalog, IndexSpec, VectorStore

logger = logging.getLogger(__name__)


_SPOKEN_OF = {
    "generation": "another generation",
    "content_fingerprint": "other content",
    "gate": "other limits or search settings",
    "test_set": "another test set, or another state of it",
}


class Releases:
    """Decides which generation is live, and which old ones are kept.

    keep: how many generations that were live are kept, the live one included; 1 or more.
    """

    def __init__(self, catalog: Catalog, store: VectorStore, keep: int) -> None:
        self._catalog = catalog
        self._store = store
        self._keep = keep

    def record(self, verdict: Verdict) -> Generation:
        """Store a verdict with the generation that it names. Raises GenerationNotFound."""
        generation = replace(self._catalog.generation(verdict.generation), verdict=verdict_record(verdict))
        self._catalog.update_generation(generation)
        return generation

    def reject(self, verdict: Verdict) -> Generation:
        """Put a candidate that failed its gate out of the running. Raises InvalidTransition, GenerationNotFound."""
        return self._catalog.transition(verdict.generation, State.REJECTED, reason=verdict.summary)

    def candidate(self) -> Generation:
        """The newest candidate. Raises GenerationNotFound when there is none."""
        for generation in self._catalog.generations():
            if generation.state is State.CANDIDATE:
                return generation
        raise GenerationNotFound("There is no candidate.", hint="`assay ingest` builds one.")

    def promote(self, generation_id: str, gate: str, test_set: str | None) -> Generation:
        """Make a candidate live; a generation that was live before needs no new verdict, for it had one.

        gate: fingerprint of the limits that apply now; a verdict under other limits does not count.
        test_set: fingerprint of the labelled queries as they are now; None where only the structure is judged. A
            verdict by others does not count.

        Raises PromotionRefused, InvalidTransition, GenerationNotFound, VectorStoreError when its index is not whole.
        """
        generation = self._catalog.generation(generation_id)
        check_transition(generation.id, generation.state, State.LIVE)
        if generation.state is State.CANDIDATE:
            _require_pass(generation, gate, test_set)
        self._require_whole(generation)
        promoted = self._catalog.promote(generation.id, datetime.now(UTC))
        self.show()
        self.retire()
        return promoted

    def rollback(self) -> Generation:
        """Of the generations built before the live one, make that live which was live last.

        So a second rollback goes further back, and one that was gone back from is not gone back to later.

        Raises GenerationNotFound, and VectorStoreError when its index is not whole; then live stays as it is.
        """
        live_id = self._catalog.live_id()
        for generation in self._retired():
            if live_id is None or generation.id < live_id:
                self._require_whole(generation)
                promoted = self._catalog.promote(generation.id, datetime.now(UTC))
                self.show()
                return promoted
        raise GenerationNotFound(
            "There is no earlier generation to go back to.",
            hint="`assay generations` lists those that are kept; `assay promote ID` makes any retired one live.",
        )

    def show(self) -> None:
        """Lead outside readers of the vector store to the live generation, if there is one.

        The catalog's row alone decides what is live: where this fails, the log says so, and a publish tries again.
        """
        live_id = self._catalog.live_id()
        if live_id is None:
            return
        try:
            self._store.point_at(live_id)
        except VectorStoreError as error:
            logger.warning("Outside readers are not led to generation %s yet: %s", live_id, error)

    def _retired(self) -> list[Generation]:
        """All that were live and are not now, the one that was live last first."""
        retired = [generation for generation in self._catalog.generations() if generation.state is State.RETIRED]
        return sorted(retired, key=lambda one: (one.promoted_at or one.created_at, one.id), reverse=True)

    def _require_whole(self, generation: Generation) -> None:
        """Open the index once: what cannot be opened may not take the place of what answers."""
        self._store.open(generation.id, IndexSpec.of(generation)).close()

    def retire(self) -> list[str]:
        """Remove those that were live longest ago beyond those that are kept; the live one never. Returns their ids."""
        live = 0 if self._catalog.live_id() is None else 1
        removed = []
        for generation in self._retired()[max(self._keep - live, 0) :]:
            try:
                self._store.delete(generation.id)
            except VectorStoreError as error:
                # Going live has worked; what could not be removed now is tried again after the next promotion.
                logger.warning("Generation %s could not be removed: %s", generation.id, error.message)
                continue
            self._catalog.forget(generation.id)
            removed.append(generation.id)
        return removed


def verdict_record(verdict: Verdict) -> Mapping[str, object]:
    """A verdict as the catalog keeps it and reports show it."""
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
    }


def has_pass(generation: Generation, gate: str, test_set: str | None) -> bool:
    """Whether the stored verdict is a PASS for this very content, under these very limits, by these very queries."""
    try:
        _require_pass(generation, gate, test_set)
    except PromotionRefused:
        return False
    return True


def _require_pass(generation: Generation, gate: str, test_set: str | None) -> None:
    """Raise PromotionRefused unless the stored verdict is a PASS for this content, these limits and this test set."""
    verdict = generation.verdict
    if verdict is None:
        raise PromotionRefused(
            f"Generation {generation.id} has not been checked.", hint="`assay publish` checks and promotes in one go."
        )
    if verdict.get("outcome") == Outcome.INCONCLUSIVE.value:
        why = str(verdict.get("summary")).removeprefix("FAIL: inconclusive: ")
        raise PromotionRefused(
            f"Generation {generation.id} cannot be decided yet: {why}",
            hint="Label what is missing (`assay label`), mend what could not be asked, and run `assay promote` again.",
        )
    if verdict.get("outcome") != Outcome.PASS.value:
        raise PromotionRefused(
            f"Generation {generation.id} did not pass: {verdict.get('summary')}",
            hint="Mend what the checks found and run `assay publish` again.",
        )
    asked = {
        "generation": generation.id,
        "content_fingerprint": generation.content_fingerprint,
        "gate": gate,
        "test_set": test_set,
    }
    other = [_SPOKEN_OF[name] for name, value in asked.items() if verdict.get(name) != value]
    if other:
        raise PromotionRefused(
            f"The PASS of generation {generation.id} speaks of {' and '.join(other)}.",
            hint="`assay promote` checks it again.",
        )
