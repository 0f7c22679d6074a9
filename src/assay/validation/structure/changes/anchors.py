"""Check of the anchors on remaining pages."""

from collections.abc import Iterator

from assay.model.evaluation import Finding, percent
from assay.ports import Progress, StoredDocument
from assay.validation.structure.context import CheckContext, StructuralLimits, finding

_LEAST_PAGES = 3
"""Fewer pages are edits."""

_SHOWN = 3


def fall_in_anchors(context: CheckContext, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Check the share of anchors that disappeared from pages of both generations: links to them break."""
    lost = _lost_anchors(context)
    anchors = sum(len(gone) for gone in lost.values())
    share = anchors / max(_anchors_of_live(context), 1) if len(lost) >= _LEAST_PAGES else 0.0
    links = sorted(f"{url}#{anchor}" for url, gone in lost.items() for anchor in gone)
    kept = sum(stays for gone in lost.values() for stays in gone.values())
    yield finding(
        "fall in anchors",
        share <= limits.max_anchor_fall,
        share,
        f"at most {percent(limits.max_anchor_fall)} of the anchors on remaining pages are gone",
        f"{anchors} anchors on {len(lost)} remaining pages are gone ({percent(share)}; limit "
        f"{percent(limits.max_anchor_fall)}), such as {', '.join(links[:_SHOWN])}. Links to them open the top of the "
        f"page. {kept} of them had a heading that is still there, with another anchor or none. Check the ids of the "
        "headings, and how the generator makes them. If the change is intended, publish or promote with "
        "--allow-removals, or raise gate.max_anchor_fall",
        links,
    )


def _lost_anchors(context: CheckContext) -> dict[str, dict[str, bool]]:
    """By URL, the lost anchors of a page, each with whether the page still has its heading."""
    if context.live is None:
        return {}
    before, now = (
        {page.url: page.revision for page in context.catalog.known_pages(one.id).values()}
        for one in (context.live, context.generation)
    )
    pairs = context.remaining_pages.items()
    earlier = {new: old for old, new in pairs if old in before and new in now and before[old] != now[new]}
    changed = context.catalog.documents_at(context.live.id, sorted(earlier.values()))
    had = {page.info.url: _anchors(page) for page in changed}
    lost: dict[str, dict[str, bool]] = {}
    for page in context.catalog.documents_at(context.generation.id, sorted(earlier)):
        anchors, headings = _anchors(page), {section.heading for section in page.sections or ()}
        earlier_anchors = had.get(earlier[page.info.url], {}) if page.info.url in earlier else {}
        gone = {anchor: heading in headings for anchor, heading in earlier_anchors.items() if anchor not in anchors}
        if gone and page.sections is not None:
            lost[page.info.url] = gone
    return lost


def _anchors_of_live(context: CheckContext) -> int:
    """Count the live generation's anchors on pages that the candidate still has."""
    assert context.live is not None
    stays = context.remaining_pages
    return sum(len(_anchors(page)) for page in context.catalog.documents(context.live.id) if page.info.url in stays)


def _anchors(page: StoredDocument) -> dict[str, str]:
    """The headings of a page by anchor."""
    return {section.anchor: section.heading for section in page.sections or () if section.anchor}
