"""Check of documents in formats without a reader."""

from collections.abc import Iterator

from assay.model.documents import list_formats
from assay.model.evaluation import Finding, percent
from assay.ports import Progress
from assay.validation.structure.context import CheckContext, StructuralLimits, finding


def unread_files(context: CheckContext, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Check the share of documents in formats without a reader.

    A generation of a version that did not count them has no such finding.
    """
    generation = context.generation
    if generation.unread_documents is None:
        return
    unread = sum(generation.unread_documents.values())
    share = unread / max(generation.documents + unread, 1)
    formats = list_formats(generation.unread_documents)
    yield finding(
        "unread files",
        share <= limits.max_unread_files,
        share,
        f"at most {percent(limits.max_unread_files)} of the documents are in a format without a reader",
        f"{unread} of {generation.documents + unread} documents of the sources are not in the index, because their "
        f"format has no reader: {formats} ({percent(share)}; limit {percent(limits.max_unread_files)}). Publish the "
        "site that is built from them, use a folder without them, or raise gate.max_unread_files",
    )
