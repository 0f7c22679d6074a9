"""Run the structural checks, in the order of the report."""

import logging
from collections.abc import Iterator

from assay.errors import (
    AssayError,
    CatalogUnavailable,
    EmbedderRefused,
    EmbedderUnavailable,
    StorageFull,
    StoreUnavailable,
)
from assay.model.evaluation import Finding, Outcome
from assay.ports import Progress
from assay.validation.structure.addresses import addresses, searched_by_default
from assay.validation.structure.boilerplate import RepeatedLines, boilerplate
from assay.validation.structure.changes.anchors import fall_in_anchors
from assay.validation.structure.changes.erosion import erosion
from assay.validation.structure.changes.kinds import fall_in_kinds_of_content
from assay.validation.structure.changes.lost_text import fall_in_text
from assay.validation.structure.changes.pages import failed_pages, fall_in_pages, lost_content
from assay.validation.structure.changes.rise import rise_in_pages
from assay.validation.structure.collecting import Collecting, Collectors, Kinds
from assay.validation.structure.collecting_process import CollectorProcess
from assay.validation.structure.content import (
    LeftoversBySource,
    PagesBySource,
    leftover_markup,
    pages_that_say_something,
)
from assay.validation.structure.context import Check, CheckContext, StructuralLimits
from assay.validation.structure.integrity import integrity
from assay.validation.structure.notes import LanguageSigns
from assay.validation.structure.repeats import RepeatedPassages, passages_alike, titles_alike
from assay.validation.structure.titles import reachable_by_title
from assay.validation.structure.unread import unread_files
from assay.validation.structure.vectors.approximate import recall_of_dense_search
from assay.validation.structure.vectors.dense import distinct_vectors, embedded_again, titles_by_vectors
from assay.validation.structure.vectors.truncation import read_to_the_end

logger = logging.getLogger(__name__)

UNREACHABLE = (CatalogUnavailable, EmbedderRefused, EmbedderUnavailable, StorageFull, StoreUnavailable)
"""Errors of a dependency, which are no fault of the generation."""

CHECKS: tuple[Check, ...] = (
    integrity,
    failed_pages,
    unread_files,
    fall_in_pages,
    erosion,
    rise_in_pages,
    lost_content,
    fall_in_text,
    fall_in_kinds_of_content,
    fall_in_anchors,
    pages_that_say_something,
    titles_alike,
    passages_alike,
    boilerplate,
    leftover_markup,
    addresses,
    searched_by_default,
    reachable_by_title,
    distinct_vectors,
    titles_by_vectors,
    recall_of_dense_search,
    embedded_again,
    read_to_the_end,
)

COLLECTORS: Kinds = (PagesBySource, LeftoversBySource, RepeatedLines, RepeatedPassages, LanguageSigns)


def vector_findings(context: CheckContext, limits: StructuralLimits, progress: Progress) -> list[Finding]:
    """Run the checks of the vectors only; without an embedder, titles are left out."""
    checks: tuple[Check, ...] = (distinct_vectors, titles_by_vectors)
    return [found for check in checks for found in _findings(check, context, limits, progress)]


def structure_findings(context: CheckContext, limits: StructuralLimits, progress: Progress) -> list[Finding]:
    """Run every structural check. An error becomes a finding, and the other checks run.

    An unreachable dependency makes the finding INCONCLUSIVE; unusable data, or a bug in the check, makes it FAIL.
    """
    with context.content.collect(_collecting(context)):
        return [found for check in CHECKS for found in _findings(check, context, limits, progress)]


def _collecting(context: CheckContext) -> Collecting:
    if context.process_from is not None and context.generation.chunks >= context.process_from:
        try:
            return CollectorProcess(COLLECTORS)
        except OSError as error:
            logger.warning("No process can be started to check the content: %s", error)
    return Collectors(COLLECTORS)


def _findings(check: Check, context: CheckContext, limits: StructuralLimits, progress: Progress) -> Iterator[Finding]:
    try:
        yield from check(context, limits, progress)
    except AssayError as error:
        unreachable = isinstance(error, UNREACHABLE)
        outcome = Outcome.INCONCLUSIVE if unreachable else Outcome.FAIL
        yield _not_run(check, outcome, f"{error}{' Fix this, and run again.' if unreachable else ''}")
    except MemoryError:
        raise
    except Exception as error:
        logger.exception("The check %s failed unexpectedly.", _name(check))
        yield _not_run(
            check, Outcome.FAIL, f"{type(error).__name__}: {error}. Report this with the traceback in the log"
        )


def _not_run(check: Check, outcome: Outcome, why: str) -> Finding:
    return Finding(_name(check), outcome, None, "the check can run", f"the check could not run: {why}")


def _name(check: Check) -> str:
    return check.__name__.replace("_", " ")
