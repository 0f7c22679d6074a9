"""Pages that failed, are gone, or lost what they said."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from urllib.parse import urlsplit

from assay.model.evaluation import Finding, percent
from assay.model.generations import Generation
from assay.model.ids import is_placeholder
from assay.ports import Catalog, Progress
from assay.validation.structure.judged import Judged, StructuralLimits, finding

_MOST_ALIKE = 3
"""So many pages that get one and the same title or text at once are no pages of their own any more."""

_LONGEST_TEMPLATE = 20_000
"""Characters up to which a page may be a template with the page's name in it, such as a login page."""

_WORD = re.compile(r"[^\W\d_]+")


def failed_pages(judged: Judged, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Hold the share of pages that could not be read against its limit."""
    generation = judged.generation
    pages = generation.documents + generation.failed_pages - generation.carried_pages
    share = generation.failed_pages / max(pages, 1)
    yield finding(
        "failed pages",
        share <= limits.max_failed_pages,
        share,
        f"at most {percent(limits.max_failed_pages)} of the pages failed",
        f"{generation.failed_pages} of {pages} pages could not be read ({percent(share)}; "
        f"{percent(limits.max_failed_pages)} are allowed). Mend them and run again, or raise gate.max_failed_pages",
    )


def fall_in_pages(judged: Judged, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Whether the pages of the live generation are still there, by their addresses: other pages make up for none.

    A page that had no real address is still there when its file is, for no link is lost by giving it one.
    """
    live = [document.info for document in judged.catalog.listing(judged.live.id)] if judged.live else []
    candidate = [document.info for document in judged.catalog.listing(judged.generation.id)] if live else []
    before, now = {info.url for info in live}, {info.url for info in candidate}
    files = {(info.source, info.source_path) for info in candidate}
    named = {info.url for info in live if is_placeholder(info.url) and (info.source, info.source_path) in files}
    gone = sorted(before - now - named)
    fall = len(gone) / max(len(before), 1)
    yield finding(
        "fall in pages",
        fall <= limits.max_page_fall,
        fall,
        f"at most {percent(limits.max_page_fall)} of the live generation's pages are gone",
        f"{len(gone)} of the live generation's {len(before)} pages are gone ({percent(fall)}; "
        f"{percent(limits.max_page_fall)} are allowed), {', '.join(gone[:2])} among them. {_why_gone(before, now)} "
        "If that is meant, run it again with --allow-removals, or raise gate.max_page_fall",
        gone,
    )


def lost_content(judged: Judged, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Whether the pages of the live generation still say something of their own.

    A site that is closed for maintenance, or wants a login, often gives one page with status 200 for every address:
    none is gone, and none has failed.
    """
    live = {at.info.url: at for at in judged.catalog.listing(judged.live.id)} if judged.live else {}
    now = judged.catalog.listing(judged.generation.id) if live else iter(())
    pairs = ((live[at.info.url], at) for at in now if at.info.url in live)
    changed = [(before, at) for before, at in pairs if at.text_hash != before.text_hash]
    called = Counter(at.info.title for before, at in changed if at.info.title != before.info.title)
    said = Counter(at.text_hash for _, at in changed)
    templates = _templates(judged.catalog, judged.generation, [at.info.url for _, at in changed])
    before_templates = _templates(judged.catalog, judged.live, [at.info.url for _, at in changed])
    of_now, of_before = Counter(templates.values()), Counter(before_templates.values())
    lost = [
        at
        for before, at in changed
        if (before.chunk_count and not at.chunk_count)
        or (at.info.title != before.info.title and called[at.info.title] >= _MOST_ALIKE)
        or said[at.text_hash] >= _MOST_ALIKE
        or (of_now[templates[at.info.url]] >= _MOST_ALIKE and of_before[before_templates[at.info.url]] < _MOST_ALIKE)
    ]
    share = len(lost) / max(len(live), 1)
    name, times = (Counter(at.info.title for at in lost).most_common(1) or [("", 0)])[0]
    called_so = f" ({name[:80]!r})" if times >= _MOST_ALIKE else ""
    yield finding(
        "lost content",
        share <= limits.max_page_fall,
        share,
        f"at most {percent(limits.max_page_fall)} of the live generation's pages became empty, or one and the same",
        f"{len(lost)} of the live generation's {len(live)} pages are empty now, or all became one and the same"
        f"{called_so} ({percent(share)}; {percent(limits.max_page_fall)} are allowed). "
        "Is the site closed for maintenance, does it want a login, or is it made by JavaScript now? Run it again when "
        "it is well. If that is meant, run it with --allow-removals, or raise gate.max_page_fall",
        [at.info.url for at in lost],
    )


def _templates(catalog: Catalog, generation: Generation | None, urls: Sequence[str]) -> dict[str, int]:
    """By URL, the hash of a page's words without those of its title and without numbers.

    `Sign in to see NAME. Request 123.` is one template on every page. A long page is its own.
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


def _why_gone(before: set[str], now: set[str]) -> str:
    """What most likely happened to the pages, as a question: another address, or other pages at the same one."""
    old, new = _common_beginning(before), _common_beginning(now)
    if before & now or new.startswith(old) or not (urlsplit(old).hostname and urlsplit(new).hostname):
        return "Is it the same folder or site, at the same address?"
    return f"All addresses now begin with {new}, and began with {old} before: is --base-url right?"


def _common_beginning(urls: set[str]) -> str:
    """The longest beginning of all URLs that ends in a slash; without a host where they have several."""
    folders = [url.partition("?")[0].split("/")[:-1] for url in urls] or [[]]
    pairs = zip(min(folders), max(folders), strict=False)  # all that lie between these two begin as both do
    return "".join(f"{one}/" for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
