"""Documentation in the sources that no reader took."""

from collections.abc import Iterator

from assay.model.documents import list_formats
from assay.model.evaluation import Finding, percent
from assay.ports import Progress
from assay.validation.structure.judged import Judged, StructuralLimits, finding


def unread_files(judged: Judged, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Hold the share of documents that no reader took against its limit.

    A generation of before they were counted has no such finding.
    """
    generation = judged.generation
    if generation.unread_documents is None:
        return
    unread = sum(generation.unread_documents.values())
    share = unread / max(generation.documents + unread, 1)
    formats = list_formats(generation.unread_documents)
    yield finding(
        "unread files",
        share <= limits.max_unread_files,
        share,
        f"at most {percent(limits.max_unread_files)} of the documents are in a format that no reader takes",
        f"{unread} of {generation.documents + unread} documents of the sources are not in the index, for no reader "
        f"takes them: {formats} ({percent(share)}; {percent(limits.max_unread_files)} are allowed). Publish the "
        "site that is built from them, give a folder without them, or raise gate.max_unread_files",
    )
