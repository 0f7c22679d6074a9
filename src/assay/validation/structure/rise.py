"""Pages that came in masses: a crawl that found a calendar, or a folder of generated files."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from assay.model.counting import counted
from assay.model.documents import DocumentInfo
from assay.model.evaluation import Finding
from assay.ports import Progress
from assay.validation.structure.judged import Judged, StructuralLimits, finding

_ALWAYS_ALLOWED = 49
"""So many new pages are never too many: documentation that was begun grows by factors."""

_SHOWN = 3

_Place = tuple[str, str | None, str | None]
"""Source, version and locale."""


def rise_in_pages(judged: Judged, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Hold the new pages of a source, version and locale against those that are live in it.

    A source, version or locale that is new altogether was set up by somebody, and is not judged.
    """
    most = limits.max_page_rise
    before, new = _counts(judged)
    rises = {
        place: len(urls) / before[place] for place, urls in new.items() if before[place] and len(urls) > _ALWAYS_ALLOWED
    }
    place, rise = max(rises.items(), key=lambda one: one[1], default=(("", None, None), 0.0))
    urls = sorted(new.get(place, ()))
    yield finding(
        "rise in pages",
        most is None or rise <= most,
        rise,
        f"at most {_times(most)} the live pages of a source are new" if most is not None else "any number of new pages",
        f"{counted(len(urls), 'page')} of {_named(place)} are new, {_times(rise)} the {before[place]} that are live "
        f"({_times(most or 0.0)} are allowed), {', '.join(urls[:_SHOWN])} among them. Did the crawl find a calendar or "
        "a search, or does the folder hold generated files? Leave them out with `exclude` of the source. If they are "
        "meant, run it again with --allow-additions, or raise gate.max_page_rise",
        urls,
    )


def _counts(judged: Judged) -> tuple[Counter[_Place], dict[_Place, list[str]]]:
    """How many pages are live in each place, and the URLs that are new there."""
    new: defaultdict[_Place, list[str]] = defaultdict(list)
    if judged.live is None:
        return Counter(), new
    live = {page.url for page in judged.catalog.known_pages(judged.live.id).values()}
    now = {page.url for page in judged.catalog.known_pages(judged.generation.id).values()}
    if len(now - live) <= _ALWAYS_ALLOWED:
        return Counter(), new
    for page in judged.catalog.listing(judged.generation.id):
        if page.info.url not in live:
            new[_place(page.info)].append(page.info.url)
    return Counter(_place(page.info) for page in judged.catalog.listing(judged.live.id)), new


def _place(info: DocumentInfo) -> _Place:
    return info.source, info.version, info.locale


def _named(place: _Place) -> str:
    source, version, locale = place
    return ", ".join([source, *([f"version {version}"] if version else []), *([f"locale {locale}"] if locale else [])])


def _times(rise: float) -> str:
    return f"{rise:.3g} times"
