"""The conductor: every check of the structure, in the order of the report."""

from assay.model.evaluation import Finding
from assay.ports import Progress
from assay.validation.structure.addresses import real_addresses, searched_by_default
from assay.validation.structure.content import markup_is_read, pages_that_say_something
from assay.validation.structure.integrity import integrity
from assay.validation.structure.judged import Check, Judged, StructuralLimits
from assay.validation.structure.pages import failed_pages, fall_in_pages, lost_content
from assay.validation.structure.titles import reachable_by_title
from assay.validation.structure.unread import unread_files

CHECKS: tuple[Check, ...] = (
    integrity,
    failed_pages,
    unread_files,
    fall_in_pages,
    lost_content,
    pages_that_say_something,
    markup_is_read,
    real_addresses,
    searched_by_default,
    reachable_by_title,
)


def structure_findings(judged: Judged, limits: StructuralLimits, progress: Progress) -> list[Finding]:
    """Hold a generation's structure against the limits.

    Raises CatalogError, VectorStoreError, EmbeddingError: a check that could not run is not a verdict. Where the
    embedder does not answer or refuses, what needs it is undecided.
    """
    return [found for check in CHECKS for found in check(judged, limits, progress)]
