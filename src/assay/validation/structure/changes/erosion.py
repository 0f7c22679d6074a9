"""Check of pages that several releases lost together, each staying under its limit."""

from collections.abc import Iterator, Mapping

from assay.model.documents import DocumentInfo
from assay.model.evaluation import Finding, percent
from assay.model.generations import Generation, State
from assay.ports import Progress
from assay.validation.structure.context import CheckContext, StructuralLimits, finding
from assay.validation.structure.pairing import pair_pages


def erosion(context: CheckContext, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Check the pages lost since each kept ancestor against the limit for one release.

    Ancestors are followed from parent to parent, back to a release with intended removals.
    """
    losses = [(one, sorted(urls - kept), len(urls)) for one, urls, kept in _ancestors(context, limits)]
    shares = [(len(gone) / count, one.id, gone, count) for one, gone, count in losses if count]
    share, ancestor, gone, count = max(shares, key=lambda one: one[0], default=(0.0, "", [], 0))
    yield finding(
        "erosion",
        share <= limits.max_page_fall,
        share,
        f"at most {percent(limits.max_page_fall)} of the pages of a kept earlier generation are gone",
        f"{len(gone)} of the {count} pages of {ancestor}, an earlier live generation, are gone ({percent(share)}; "
        f"limit {percent(limits.max_page_fall)}), such as {', '.join(gone[:2])}: "
        f"{_why(context, limits)}. If the removals are intended, publish or promote with --allow-removals, or raise "
        "gate.max_page_fall",
        gone,
    )


def _why(context: CheckContext, limits: StructuralLimits) -> str:
    """The likely cause: this release, as from a wrong folder, or several that lost some each."""
    live = context.live.documents if context.live is not None else 0
    lost = live - len(context.remaining_pages)
    if lost > limits.max_page_fall * live:
        return f"this release alone lost {lost} of {live}, see `fall in pages`"
    return "several releases lost some each. Check whether the crawl reaches fewer pages each time"


def _ancestors(
    context: CheckContext, limits: StructuralLimits
) -> Iterator[tuple[Generation, frozenset[str], frozenset[str]]]:
    """The live generation's retired ancestors, newest first, with the URLs of their pages, and of those still there.

    A page is still there if pair_pages pairs it with one of the candidate, directly or through the releases between.
    Ends at a release that lost more than its limit, or had none: its removals were intended.
    """
    kept = {one.id: one for one in context.catalog.generations() if one.state is State.RETIRED}
    if context.live is None or context.live.parent not in kept:
        return
    child, after, now = context.live, _pages(context, context.live), _pages(context, context.generation)
    remaining: Mapping[str, str] = context.remaining_pages
    while not _removals_allowed(child.verdict) and (parent := kept.pop(child.parent or "", None)) is not None:
        before = _pages(context, parent)
        stayed = pair_pages(before, after)
        if len(before) - len(stayed) > limits.max_page_fall * len(before):
            return
        remaining = _joined({old: remaining[url] for old, url in stayed.items() if url in remaining}, before, now)
        yield parent, frozenset(info.url for info in before), frozenset(remaining)
        child, after = parent, before


def _joined(through: Mapping[str, str], before: list[DocumentInfo], now: list[DocumentInfo]) -> dict[str, str]:
    """Pairs through the releases between, and direct ones of pages that came back. One-to-one."""
    taken = set(through.values())
    return {old: new for old, new in pair_pages(before, now).items() if new not in taken} | dict(through)


def _removals_allowed(verdict: Mapping[str, object] | None) -> bool:
    """Whether a generation was validated without a limit on removed pages."""
    findings = (verdict or {}).get("findings")
    listed = [one for one in findings if isinstance(one, Mapping)] if isinstance(findings, list) else []
    return any(one.get("check") == "fall in pages" and percent(1.0) in str(one.get("limit")) for one in listed)


def _pages(context: CheckContext, generation: Generation) -> list[DocumentInfo]:
    return [at.info for at in context.catalog.listing(generation.id)]
