"""Anchors of headings that links lead to, on pages that are still there."""

from collections.abc import Iterator

from assay.model.evaluation import Finding, percent
from assay.ports import Progress, StoredDocument
from assay.validation.structure.judged import Judged, StructuralLimits, finding

_LEAST_PAGES = 3
"""On so few pages somebody edited the headings."""

_SHOWN = 3


def fall_in_anchors(judged: Judged, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Hold the share of anchors that pages of both generations lost against its limit: links to them lead nowhere."""
    lost = _lost_anchors(judged)
    anchors = sum(len(gone) for gone in lost.values())
    share = anchors / max(_anchors_of_live(judged), 1) if len(lost) >= _LEAST_PAGES else 0.0
    links = sorted(f"{url}#{anchor}" for url, gone in lost.items() for anchor in gone)
    kept = sum(stays for gone in lost.values() for stays in gone.values())
    yield finding(
        "fall in anchors",
        share <= limits.max_anchor_fall,
        share,
        f"at most {percent(limits.max_anchor_fall)} of the anchors on pages that stay are gone",
        f"{anchors} anchors on {len(lost)} pages that stay are gone ({percent(share)}; "
        f"{percent(limits.max_anchor_fall)} are allowed), {', '.join(links[:_SHOWN])} among them: links to them lead "
        f"to the top of the page. {kept} of them had a heading that is still there, under another anchor or none. "
        "Did the pages lose the ids of their headings, or does the generator make them in another way? If that is "
        "meant, run it again with --allow-removals, or raise gate.max_anchor_fall",
        links,
    )


def _lost_anchors(judged: Judged) -> dict[str, dict[str, bool]]:
    """By URL, the anchors that a page lost, and whether the page still has the heading of each."""
    if judged.live is None:
        return {}
    before, now = (
        {page.url: page.revision for page in judged.catalog.known_pages(one.id).values()}
        for one in (judged.live, judged.generation)
    )
    changed = sorted(url for url, revision in now.items() if before.get(url, revision) != revision)
    had = {page.info.url: _anchors(page) for page in judged.catalog.documents_at(judged.live.id, changed)}
    lost: dict[str, dict[str, bool]] = {}
    for page in judged.catalog.documents_at(judged.generation.id, changed):
        anchors, headings = _anchors(page), {section.heading for section in page.sections or ()}
        gone = {anchor: heading in headings for anchor, heading in had[page.info.url].items() if anchor not in anchors}
        if gone and page.sections is not None:
            lost[page.info.url] = gone
    return lost


def _anchors_of_live(judged: Judged) -> int:
    """The anchors of the live generation's pages that the candidate has too."""
    assert judged.live is not None
    stays = {page.url for page in judged.catalog.known_pages(judged.generation.id).values()}
    return sum(len(_anchors(page)) for page in judged.catalog.documents(judged.live.id) if page.info.url in stays)


def _anchors(page: StoredDocument) -> dict[str, str]:
    """The anchors of a page, each with its heading."""
    return {section.anchor: section.heading for section in page.sections or () if section.anchor}
