"""Check of pages that several releases lost together, each staying under its limit."""

from collections.abc import Iterator, Mapping

from assay.model.evaluation import Finding, percent
from assay.model.generations import Generation, State
from assay.model.ids import is_placeholder
from assay.ports import Catalog, Progress
from assay.validation.structure.context import CheckContext, StructuralLimits, finding
from assay.validation.structure.hosts import is_provisional


def erosion(context: CheckContext, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Check the pages lost since each kept ancestor against the limit for one release.

    Ancestors are followed from parent to parent, back to a release with intended removals.
    """
    now = _urls(context.catalog, context.generation)
    ancestors = _ancestors(context, limits)
    if not any(map(is_provisional, now)):  # provisional addresses that were corrected are no loss
        ancestors = ((one, frozenset(url for url in urls if not is_provisional(url))) for one, urls in ancestors)
    losses = [(one, sorted(urls - now), len(urls)) for one, urls in ancestors]
    shares = [(len(gone) / count, one.id, gone, count) for one, gone, count in losses if count]
    share, ancestor, gone, count = max(shares, key=lambda one: one[0], default=(0.0, "", [], 0))
    yield finding(
        "erosion",
        share <= limits.max_page_fall,
        share,
        f"at most {percent(limits.max_page_fall)} of the pages of a kept earlier generation are gone",
        f"{len(gone)} of the {count} pages of {ancestor}, an earlier live generation, are gone ({percent(share)}; "
        f"limit {percent(limits.max_page_fall)}), such as {', '.join(gone[:2])}: "
        f"{_why(context, limits, now)}. If the removals are intended, use --allow-removals, or raise "
        "gate.max_page_fall",
        gone,
    )


def _why(context: CheckContext, limits: StructuralLimits, now: frozenset[str]) -> str:
    """The likely cause: this release, as from a wrong folder, or several that lost some each."""
    live = _urls(context.catalog, context.live) if context.live is not None else frozenset()
    if len(live - now) > limits.max_page_fall * len(live):
        return f"this release alone lost {len(live - now)} of {len(live)}, see `fall in pages`"
    return "several releases lost some each. Check whether the crawl reaches fewer pages each time"


def _ancestors(context: CheckContext, limits: StructuralLimits) -> Iterator[tuple[Generation, frozenset[str]]]:
    """The live generation's retired ancestors, newest first, with the URLs of their pages.

    Ends at a release that lost more than its limit, or had none: its removals were intended.
    """
    if context.live is None:
        return
    kept = {one.id: one for one in context.catalog.generations() if one.state is State.RETIRED}
    child, after = context.live, _urls(context.catalog, context.live)
    while not _removals_allowed(child.verdict) and (parent := kept.pop(child.parent or "", None)) is not None:
        before = _urls(context.catalog, parent)
        if len(before - after) > limits.max_page_fall * len(before):
            return
        yield parent, before
        child, after = parent, before


def _removals_allowed(verdict: Mapping[str, object] | None) -> bool:
    """Whether a generation was validated without a limit on removed pages."""
    findings = (verdict or {}).get("findings")
    listed = [one for one in findings if isinstance(one, Mapping)] if isinstance(findings, list) else []
    return any(one.get("check") == "fall in pages" and percent(1.0) in str(one.get("limit")) for one in listed)


def _urls(catalog: Catalog, generation: Generation) -> frozenset[str]:
    """The addresses of a generation's pages, without placeholders."""
    return frozenset(page.url for page in catalog.known_pages(generation.id).values() if not is_placeholder(page.url))
