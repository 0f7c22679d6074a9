"""Releases: publish, promote and roll back generations."""

import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from assay.app.building import Builds
from assay.app.evaluation import Evaluation
from assay.app.gates import gate_of
from assay.app.parts import Parts
from assay.app.reports import PublishReport
from assay.app.systems import Systems
from assay.errors import (
    BuildInProgress,
    CatalogNotFound,
    CatalogSchemaError,
    GenerationNotFound,
    InvalidTransition,
    LiveChanged,
)
from assay.ingest.pipeline import BuildReport
from assay.model.evaluation import Outcome
from assay.model.generations import Generation, State
from assay.ports import ANY_LIVE, INFORMATION, Progress
from assay.release.generation_names import CANDIDATE, resolve_generation
from assay.release.promotion import has_pass
from assay.validation.running.measuring import Measures

logger = logging.getLogger(__name__)

_MEASUREMENTS = 5
"""Maximum number of measurements of a release, if the live generation changes during each."""

T = TypeVar("T")


class Releases:
    """Decides by measurement which generation goes live."""

    def __init__(self, parts: Parts, builds: Builds, systems: Systems, evaluation: Evaluation) -> None:
        self._parts = parts
        self._builds = builds
        self._systems = systems
        self._evaluation = evaluation

    def generations(self) -> list[Generation]:
        """List all generations, newest first."""
        return self._parts.catalog.generations()

    def publish(self, *, rebuild: bool = False, progress: Progress | None = None) -> PublishReport:
        """Build, validate, and promote a candidate that passes; see Assay.publish."""
        self._parts.require_own_index()
        self._check_before_building()
        build = self._builds.ingest(rebuild=rebuild, progress=progress)
        if build.generation.state is State.LIVE:
            self._parts.lifecycle.show()
            return self._publish_unchanged(build, progress)
        return self._against_live(build.generation.id, lambda live: self._release(build, live, progress))

    def promote(
        self, generation_id: str | None = None, progress: Progress | None = None, test_set: Path | None = None
    ) -> Generation:
        """Make the candidate live, or the named generation; see Assay.promote."""
        self._parts.require_own_index()
        generation = resolve_generation(self._parts.catalog, generation_id, default=(CANDIDATE,))
        if generation.state is not State.CANDIDATE:
            return self._promote(generation, None)
        return self._against_live(
            generation.id, lambda live: self._promote_judged(generation.id, test_set, live, progress)
        )

    def rollback(self) -> Generation:
        """Make the previous live generation live again. Raises GenerationNotFound, IndexNotOurs."""
        self._parts.require_own_index()
        return self._parts.lifecycle.rollback()

    def _check_before_building(self) -> None:
        """Raise InputError now for settings that the validation would refuse after hours of building."""
        settings = self._parts.settings
        Measures.parse(settings.validation.measures)
        gate_of(settings.gate)
        with suppress(CatalogNotFound, CatalogSchemaError):  # before the first build of this version
            self._evaluation.applied_test_set()

    def _publish_unchanged(self, build: BuildReport, progress: Progress | None) -> PublishReport:
        """Validate the unchanged live generation if it has no PASS for the test set that applies."""
        applied = self._evaluation.applied_test_set(build.generation)
        if applied.test_set is None or self._evaluation.passes(build.generation, applied.test_set):
            self._evaluation.remember_path(applied)
            return PublishReport(build, None, None)
        validation = self._evaluation.validate(build.generation.id, progress=progress)
        return PublishReport(build, validation.verdict, None, validation)

    def _against_live(self, generation_id: str, release: Callable[[str | None], T]) -> T:
        """Release a candidate with the id of the live generation; again if another goes live while it is measured.

        Raises LiveChanged if that happens every time, or if another command dropped the candidate.
        """
        for _ in range(_MEASUREMENTS - 1):
            try:
                return self._release_once(generation_id, release)
            except LiveChanged as error:
                self._require_kept(generation_id)
                logger.warning("%s It is measured again.", error.message)
        return self._release_once(generation_id, release)

    def _release_once(self, generation_id: str, release: Callable[[str | None], T]) -> T:
        try:
            return release(self._parts.catalog.live_id())
        except (GenerationNotFound, InvalidTransition):
            self._require_kept(generation_id)
            raise

    def _require_kept(self, generation_id: str) -> None:
        """Raise LiveChanged if a candidate was rejected or removed by another command."""
        found = next((one for one in self._parts.catalog.generations() if one.id == generation_id), None)
        if found is None or found.state is State.REJECTED:
            reason = f": {found.reason}" if found and found.reason else ""
            raise LiveChanged(
                f"While generation {generation_id} was measured, another command replaced or dropped it{reason}.",
                hint="`assay generations` lists all; `assay publish` builds a new one from the present pages.",
            ) from None

    def _release(self, build: BuildReport, live: str | None, progress: Progress | None) -> PublishReport:
        """Validate a build, and promote it over the live generation if it passes."""
        validation = self._evaluation.validate(build.generation.id, progress=progress, failed=build.failed)
        outcome = validation.verdict.outcome
        self._require_kept(build.generation.id)
        current = self._parts.catalog.generation(build.generation.id)
        if current.state is State.LIVE:  # by another publish, which found this candidate as well
            return PublishReport(build, validation.verdict, current, validation)
        if outcome is Outcome.FAIL:
            self._parts.lifecycle.reject(validation.verdict)
        if outcome is not Outcome.PASS:
            return PublishReport(build, validation.verdict, None, validation)
        promoted = self._promote(build.generation, validation.verdict.test_set, over=live)
        return PublishReport(build, validation.verdict, promoted, validation, _overridden(build.live_before, live))

    def _promote_judged(
        self, generation_id: str, test_set: Path | None, live: str | None, progress: Progress | None
    ) -> Generation:
        """Promote a candidate over the live generation; validate it first unless it has a PASS that still holds."""
        generation = self._parts.catalog.generation(generation_id)
        applied = self._evaluation.applied_test_set(generation, test_set)
        labelled = applied.test_set
        fingerprint = labelled.fingerprint if labelled else None
        compared = self._systems.compared_live(generation, labelled)
        passed = has_pass(generation, self._systems.gate.fingerprint, fingerprint, compared.id if compared else None)
        # The index may have changed since its PASS, so the structural checks run every time.
        if not (passed and self._evaluation.is_sound(generation, progress)):
            self._evaluation.validate(generation.id, test_set, progress)
        else:
            self._evaluation.remember_path(applied)
        return self._promote(generation, fingerprint, over=live)

    def _promote(self, generation: Generation, test_set: str | None, *, over: str | None = ANY_LIVE) -> Generation:
        """Promote, then clear the cache of paid vectors, which the live index now holds.

        A generation that is live already, as when another publish was faster, stays live.
        """
        parts = self._parts
        try:
            promoted = parts.lifecycle.promote(generation.id, self._systems.gate.fingerprint, test_set, over=over)
        except InvalidTransition:
            promoted = parts.catalog.generation(generation.id)
            if promoted.state is not State.LIVE:
                raise
            logging.getLogger(INFORMATION).info("Generation %s is live already.", promoted.id)
            parts.lifecycle.show()
        if parts.embeddings_file.exists():
            try:
                with parts.catalog.build_lock():
                    parts.embedding_cache.clear()
            except BuildInProgress:
                logger.info(
                    "Another build is using %s; it is cleared when that build goes live.", parts.embeddings_file
                )
        return promoted


def _overridden(before: str | None, now: str | None) -> tuple[str, ...]:
    """Return and log a note if the live generation was changed by someone else during this publish."""
    if now == before:
        return ()
    was, is_live = (f"generation {one}" if one else "no generation" for one in (before, now))
    note = (
        f"When this publish began, {was} was live; it replaced {is_live}, "
        "which someone else promoted or rolled back to in the meantime."
    )
    if now is not None:
        note += " `assay rollback` goes back to it."
    logger.warning("%s", note)
    return (note,)
