"""Checks of failed pages, missing pages, and pages that lost their content."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from urllib.parse import urlsplit

from assay.model.counting import counted, some_of
from assay.model.evaluation import Finding, percent
from assay.model.generations import Generation
from assay.ports import Catalog, Progress
from assay.validation.structure.context import CheckContext, StructuralLimits, finding

_NAMED = 3

_MOST_ALIKE = 3
"""From this number of pages on, a new shared title or text means that their content is lost."""

_LONGEST_TEMPLATE = 20_000
"""Largest size in characters of a page that may be a template with the page's name, such as a login page."""

_WORD = re.compile(r"[^\W\d_]+")


def failed_pages(context: CheckContext, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Check the share of pages that could not be read."""
    generation = context.generation
    pages = generation.documents + generation.failed_pages - generation.carried_pages
    share = generation.failed_pages / max(pages, 1)
    failed = [f"{one.key} ({one.reason.rstrip('.')})" for one in context.failed]
    named = f": {some_of(failed, _NAMED)}" if failed else ""
    yield finding(
        "failed pages",
        share <= limits.max_failed_pages,
        share,
        f"at most {percent(limits.max_failed_pages)} of the pages failed",
        f"{generation.failed_pages} of {pages} pages could not be read ({percent(share)}; limit "
        f"{percent(limits.max_failed_pages)}){named}. Fix them and run again, or raise gate.max_failed_pages",
        failed,
    )


def fall_in_pages(context: CheckContext, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Check by address that the live generation's pages are still there. New pages do not offset missing ones.

    A page without a real address is still there if its file is: giving it an address breaks no link. Nor does
    correcting an address without a site, such as one at example.org.
    """
    listing = context.catalog.listing(context.live.id) if context.live else iter(())
    versions = {at.info.url: (at.info.source, at.info.version) for at in listing}
    before = set(versions)
    now = {at.info.url for at in context.catalog.listing(context.generation.id)} if before else set()
    gone = sorted(before - context.remaining_pages.keys())
    fall = len(gone) / max(len(before), 1)
    yield finding(
        "fall in pages",
        fall <= limits.max_page_fall,
        fall,
        f"at most {percent(limits.max_page_fall)} of the live generation's pages are gone",
        f"{len(gone)} of the live generation's {len(before)} pages are gone ({percent(fall)}; limit "
        f"{percent(limits.max_page_fall)}), such as {', '.join(gone[:2])}. {_gone_versions(versions, gone)}"
        f"{_other_sources(context) or _why_gone(before, now)} If the removals are intended, publish or "
        "promote with --allow-removals, or raise gate.max_page_fall",
        gone,
    )


def lost_content(context: CheckContext, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Check that the live generation's pages still have content of their own.

    A site that is closed for maintenance or requires a login often sends one page with status 200 for every address:
    no page is gone, and none has failed.
    """
    live = {at.info.url: at for at in context.catalog.listing(context.live.id)} if context.live else {}
    now = context.catalog.listing(context.generation.id) if live else iter(())
    earlier = {new: old for old, new in context.remaining_pages.items()}
    pairs = ((live[earlier[at.info.url]], at) for at in now if at.info.url in earlier)
    changed = [(before, at) for before, at in pairs if at.text_hash != before.text_hash]
    called = Counter(at.info.title for before, at in changed if at.info.title != before.info.title)
    said = Counter(at.text_hash for _, at in changed)
    templates = _templates(context.catalog, context.generation, [at.info.url for _, at in changed])
    before_templates = _templates(context.catalog, context.live, [before.info.url for before, _ in changed])
    of_now, of_before = Counter(templates.values()), Counter(before_templates.values())
    lost = [
        at
        for before, at in changed
        if (before.chunk_count and not at.chunk_count)
        or (at.info.title != before.info.title and called[at.info.title] >= _MOST_ALIKE)
        or said[at.text_hash] >= _MOST_ALIKE
        or (
            of_now[templates[at.info.url]] >= _MOST_ALIKE and of_before[before_templates[before.info.url]] < _MOST_ALIKE
        )
    ]
    share = len(lost) / max(len(live), 1)
    name, times = (Counter(at.info.title for at in lost).most_common(1) or [("", 0)])[0]
    called_so = f" ({name[:80]!r})" if times >= _MOST_ALIKE else ""
    yield finding(
        "lost content",
        share <= limits.max_page_fall,
        share,
        f"at most {percent(limits.max_page_fall)} of the live generation's pages became empty or identical",
        f"{len(lost)} of the live generation's {len(live)} pages became empty or identical{called_so} "
        f"({percent(share)}; limit {percent(limits.max_page_fall)}). Check whether the site is closed for maintenance, "
        "requires a login, or is now made by JavaScript, and run again. If the change is intended, publish "
        "or promote with --allow-removals, or raise gate.max_page_fall",
        [at.info.url for at in lost],
    )


def _templates(catalog: Catalog, generation: Generation | None, urls: Sequence[str]) -> dict[str, int]:
    """By URL, a hash of the page's words without those of its title and without numbers.

    `Sign in to see NAME. Request 123.` is then one template on every page. A long page is never a template.
    """
    if generation is None or not urls:
        return {}
    return {
        page.info.url: hash(
            _template(page.text, page.info.title) if len(page.text) <= _LONGEST_TEMPLATE else page.text_hash
        )
        for page in catalog.documents_at(generation.id, urls)
    }


def _template(text: str, title: str) -> tuple[str, ...]:
    own = set(_WORD.findall(title.lower()))
    return tuple(word for word in _WORD.findall(text.lower()) if word not in own)


def _other_sources(context: CheckContext) -> str:
    """Name the sources if none of them is one of the live generation; else ""."""
    before, now = (one.sources if one is not None else () for one in (context.live, context.generation))
    if not before or not set(before).isdisjoint(now):
        return ""
    return (
        f"The source has changed to {', '.join(now)}; the live generation was read from {', '.join(before)}. Publish "
        "that folder or site, or set `name` of the source if only its folder was renamed."
    )


def _gone_versions(live: Mapping[str, tuple[str, str | None]], gone: Sequence[str]) -> str:
    """Name the versions of which no page is left; "" for none. live: source and version of each URL."""
    left = {live[url] for url in live.keys() - set(gone)}
    lost = Counter(live[url] for url in gone if live[url][1] is not None and live[url] not in left)
    several = len({source for source, _ in live.values()}) > 1
    named = [
        f"version {version}{f' of {source}' if several else ''} ({counted(pages, 'page')})"
        for (source, version), pages in lost.most_common()
    ]
    return f"No page is left of {some_of(named, _NAMED)}. " if named else ""


def _why_gone(before: set[str], now: set[str]) -> str:
    """Suggest what to check: the address, or the folder or site."""
    old, new = _common_beginning(before), _common_beginning(now)
    if before & now or new.startswith(old) or not (urlsplit(old).hostname and urlsplit(new).hostname):
        return "Check that the folder or site and its address are the same as before."
    return f"All addresses now begin with {new}, and began with {old} before: check --base-url."


def _common_beginning(urls: set[str]) -> str:
    """The longest common prefix of the URLs that ends in a slash; without a host if they have several."""
    folders = [url.partition("?")[0].split("/")[:-1] for url in urls] or [[]]
    pairs = zip(min(folders), max(folders), strict=False)  # all others share the common prefix of these two
    return "".join(f"{one}/" for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
