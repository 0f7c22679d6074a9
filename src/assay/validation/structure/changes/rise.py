"""Check of a large number of new pages: a crawled calendar, or a folder of generated files."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from assay.model.counting import counted
from assay.model.evaluation import Finding
from assay.ports import Progress
from assay.validation.structure.context import CheckContext, Edition, StructuralLimits, edition_of, finding

_ALWAYS_ALLOWED = 49
"""This number of new pages is always allowed: new documentation grows by factors."""

_SHOWN = 3


def rise_in_pages(context: CheckContext, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Check the new pages of a source, version and locale against the live ones.

    An entirely new source, version or locale is intended, and is not checked.
    """
    most = limits.max_page_rise
    before, new = _counts(context)
    rises = {
        edition: len(urls) / before[edition]
        for edition, urls in new.items()
        if before[edition] and len(urls) > _ALWAYS_ALLOWED
    }
    edition, rise = max(rises.items(), key=lambda one: one[1], default=(("", None, None), 0.0))
    urls = sorted(new.get(edition, ()))
    yield finding(
        "rise in pages",
        most is None or rise <= most,
        rise,
        f"at most {_times(most)} the live pages of a source are new" if most is not None else "any number of new pages",
        f"{counted(len(urls), 'page')} of {_named(edition)} are new, {_times(rise)} the {before[edition]} live ones "
        f"(limit {_times(most or 0.0)}), such as {', '.join(urls[:_SHOWN])}. If they come from a calendar, a search or "
        "generated files, leave them out with `exclude` of the source. If they are intended, use --allow-additions, or "
        "raise gate.max_page_rise",
        urls,
    )


def _counts(context: CheckContext) -> tuple[Counter[Edition], dict[Edition, list[str]]]:
    """The number of live pages of each edition, and its new URLs."""
    new: defaultdict[Edition, list[str]] = defaultdict(list)
    if context.live is None:
        return Counter(), new
    known = set(context.remaining_pages.values())
    now = {page.url for page in context.catalog.known_pages(context.generation.id).values()}
    if len(now - known) <= _ALWAYS_ALLOWED:
        return Counter(), new
    for page in context.catalog.listing(context.generation.id):
        if page.info.url not in known:
            new[edition_of(page.info)].append(page.info.url)
    return Counter(edition_of(page.info) for page in context.catalog.listing(context.live.id)), new


def _named(edition: Edition) -> str:
    source, version, locale = edition
    return ", ".join([source, *([f"version {version}"] if version else []), *([f"locale {locale}"] if locale else [])])


def _times(rise: float) -> str:
    return f"{rise:.3g} times"
