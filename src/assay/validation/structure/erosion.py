"""Pages that many releases lost together, each of them less than its limit."""

from collections.abc import Iterator, Mapping

from assay.model.evaluation import Finding, percent
from assay.model.generations import Generation, State
from assay.model.ids import is_placeholder
from assay.ports import Catalog, Progress
from assay.validation.structure.judged import Judged, StructuralLimits, finding


def erosion(judged: Judged, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Hold the pages lost since the generations that are kept against the limit for one release.

    Followed from parent to parent, back to a release whose removals were meant.
    """
    now = _urls(judged.catalog, judged.generation)
    losses = [(one, sorted(urls - now), len(urls)) for one, urls in _ancestors(judged, limits)]
    shares = [(len(gone) / count, one.id, gone, count) for one, gone, count in losses if count]
    share, ancestor, gone, count = max(shares, key=lambda one: one[0], default=(0.0, "", [], 0))
    yield finding(
        "erosion",
        share <= limits.max_page_fall,
        share,
        f"at most {percent(limits.max_page_fall)} of the pages of a kept generation that led here are gone",
        f"{len(gone)} of the {count} pages of {ancestor}, which was live before, are gone ({percent(share)}; "
        f"{percent(limits.max_page_fall)} are allowed), {', '.join(gone[:2])} among them: each release since lost "
        "fewer, and together they lost too many. Does a crawl reach less from night to night? If that is meant, run "
        "it again with --allow-removals, or raise gate.max_page_fall",
        gone,
    )


def _ancestors(judged: Judged, limits: StructuralLimits) -> Iterator[tuple[Generation, frozenset[str]]]:
    """The retired generations that led to the live one, newest first, with the URLs of their pages.

    The walk ends at a release that lost more than its limit, or whose limit was lifted: that was meant.
    """
    if judged.live is None:
        return
    kept = {one.id: one for one in judged.catalog.generations() if one.state is State.RETIRED}
    child, after = judged.live, _urls(judged.catalog, judged.live)
    while not _removals_allowed(child.verdict) and (parent := kept.pop(child.parent or "", None)) is not None:
        before = _urls(judged.catalog, parent)
        if len(before - after) > limits.max_page_fall * len(before):
            return
        yield parent, before
        child, after = parent, before


def _removals_allowed(verdict: Mapping[str, object] | None) -> bool:
    """Whether a generation was judged with no limit on the pages that are gone."""
    findings = (verdict or {}).get("findings")
    listed = findings if isinstance(findings, list) else []
    return any(one["check"] == "fall in pages" and percent(1.0) in one["limit"] for one in listed)


def _urls(catalog: Catalog, generation: Generation) -> frozenset[str]:
    """The real addresses of a generation's pages."""
    return frozenset(page.url for page in catalog.known_pages(generation.id).values() if not is_placeholder(page.url))
