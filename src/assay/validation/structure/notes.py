"""Notes for a verdict: facts that fail no check but matter to its reader."""

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import urlsplit

from assay.errors import AssayError
from assay.model.counting import counted, some_of
from assay.model.documents import DocumentInfo
from assay.model.ids import is_placeholder
from assay.ports import Silence
from assay.validation.content.languages import LANGUAGES, signs_of_languages
from assay.validation.structure.collecting import PageCollector
from assay.validation.structure.context import CheckContext, Edition, edition_of
from assay.validation.structure.hosts import is_provisional, private_reach

logger = logging.getLogger(__name__)

_PAGES = 20
_NAMED = 5
_LONGEST_TITLE = 80

_FEWEST = 3
"""Fewer pages on two hosts may be a notice or a licence."""


_BEGINNING = 2_000
"""Characters of each page that are read to detect the language."""

_LEAST_SIGNS = 100
"""Fewer common words are not enough to detect a language."""

_FEW_SIGNS = 0.1
"""Largest share of common words in a language that the pages are not written in, from quotes and shared words."""


def structure_notes(context: CheckContext) -> list[str]:
    """Every note on a generation's structure, in the order of the report.

    Unreadable data is left out here: the checks report it. A note never ends a validation.
    """
    found: list[str] = []
    for note in NOTES:
        try:
            found += note(context)
        except AssayError:
            continue
        except MemoryError:
            raise
        except Exception:
            logger.exception("The note %s failed unexpectedly.", note.__name__.replace("_", " "))
    return found


def placeholder_addresses(context: CheckContext) -> Iterator[str]:
    """Count the pages without a real address."""
    made_up = sum(is_placeholder(page.url) for page in context.catalog.known_pages(context.generation.id).values())
    if made_up:
        pages = counted(made_up, "page has", "pages have")
        yield f"{pages} no real address: links of hits do not work until --base-url is set."


def private_addresses(context: CheckContext) -> Iterator[str]:
    """Name the private hosts."""
    hosts = Counter(_host(page.url) for page in context.catalog.known_pages(context.generation.id).values())
    for host, pages in hosts.most_common():
        if (reach := private_reach(host)) is not None:
            yield (
                f"{counted(pages, 'page is', 'pages are')} at {host}: links of hits work only {reach}. Set the public "
                "address with --base-url, or crawl the public site."
            )


def retitled_alike(context: CheckContext) -> Iterator[str]:
    """Name live pages that changed their title to a common one: a login page, too rare to fail a check."""
    live = {page.info.url: page for page in context.catalog.listing(context.live.id)} if context.live else {}
    retitled: defaultdict[tuple[Edition, str], list[str]] = defaultdict(list)
    for page in context.catalog.listing(context.generation.id) if live else ():
        before = live.get(page.info.url)
        if before and page.info.title not in {"", before.info.title} and page.text_hash != before.text_hash:
            retitled[edition_of(page.info), page.info.title].append(page.info.url)
    for (_, title), urls in retitled.items():
        if len(urls) > 1:
            yield (
                f"{len(urls)} pages changed their title to {title[:_LONGEST_TITLE]!r}: {some_of(urls, _NAMED)}. Check "
                "that this is no login or error page."
            )


def empty_pages(context: CheckContext) -> Iterator[str]:
    """Name the pages without any text to search, which may be too few to fail a check."""
    empty = [page.info.url for page in context.catalog.listing(context.generation.id) if not page.chunk_count]
    if empty:
        yield f"{counted(len(empty), 'page has', 'pages have')} no text to search: {some_of(empty, _NAMED)}."


def same_pages_at_two_hosts(context: CheckContext) -> Iterator[str]:
    """Name pairs of hosts with mostly the same pages: a mirror, or two addresses of one site."""
    pages = [page.url for page in context.catalog.known_pages(context.generation.id).values()]
    hosts = Counter(map(_host, pages))
    if len(hosts) < 2:
        return
    with_text: defaultdict[str, set[str]] = defaultdict(set)
    for page in context.catalog.listing(context.generation.id):
        with_text[page.text_hash].add(_host(page.info.url))
    shared = Counter((one, other) for found in with_text.values() for one in found for other in found if one < other)
    for (one, other), count in shared.most_common():
        if count >= _FEWEST and count > min(hosts[one], hosts[other]) / 2:
            yield (
                f"{count} pages are at {one} and, with the same text, at {other}: most answers appear twice. If one is "
                "a mirror, leave it out of the sources."
            )


def other_languages(context: CheckContext) -> Iterator[str]:
    """Name sources whose default locale is not the language of their pages.

    Other locales are left out: their untranslated pages are in the original's language.
    """
    for (source, declared), counts in context.content.result(LanguageSigns, Silence()).items():
        written, count = counts.most_common(1)[0]
        if count >= _LEAST_SIGNS and counts[declared] < _FEW_SIGNS * count:
            yield (
                f"The pages of {source} are declared as `{declared}`, but their text looks like `{written}`: a search "
                f"in `{written}` leaves them out. Set default_locale of the source, or the `lang` of the pages."
            )


class LanguageSigns(PageCollector[dict[tuple[str, str], Counter[str]]]):
    """Counts the signs of each language on the pages of a default locale."""

    stage = "languages"

    def __init__(self) -> None:
        self._signs: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)

    def add(self, info: DocumentInfo, text: str) -> None:
        """Take the next page."""
        language = (info.locale or "").replace("_", "-").partition("-")[0].lower()
        if info.locale_is_default and language in LANGUAGES:
            self._signs[info.source, language].update(signs_of_languages(text[:_BEGINNING]))

    def result(self) -> dict[tuple[str, str], Counter[str]]:
        """By source and declared language."""
        return dict(self._signs)


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def corrected_addresses(context: CheckContext) -> Iterator[str]:
    """Say that pages at a provisional address got a real one, and that they count as the same pages."""
    corrected = [
        (old, new)
        for old, new in context.remaining_pages.items()
        if is_provisional(old) and not is_placeholder(old) and not is_provisional(new)
    ]
    pairs = Counter((_host(old), _host(new)) for old, new in corrected)
    for (old, new), pages in pairs.most_common(1):
        yield (
            f"{counted(pages, 'page')} moved from {old}, which is no public address, to {new}; they are not counted as "
            "gone."
        )


def other_editions(context: CheckContext) -> Iterator[str]:
    """Count the pages that the live generation searches by default and the candidate does not, with their editions."""
    if context.live is None:
        return
    live = {page.info.url for page in context.catalog.listing(context.live.id) if page.info.primary}
    moved = Counter(
        page.info.locale if not page.info.locale_is_default else page.info.version
        for page in context.catalog.listing(context.generation.id)
        if page.info.url in live and not page.info.primary
    )
    if moved:
        ranked = sorted(moved.items(), key=lambda item: (-item[1], item[0] or ""))
        names = some_of([f"`{name}` ({pages})" for name, pages in ranked], _NAMED)
        yield (
            f"Searches no longer read {counted(moved.total(), 'page')} by default, because of another locale or "
            f"version: {names}. They find them with --locale, --version or --everything, and topics with `filters`. If "
            "that is wrong, set default_locale or current_version of the source."
        )


def vectors_not_compared(context: CheckContext) -> Iterator[str]:
    """Count the vectors that were not recomputed, with the command that does it."""
    recheck, chunks = context.recheck, context.generation.chunks
    if recheck is not None and recheck.embedder is None:
        yield (
            f"Most vectors were not recomputed, because {context.generation.embedder.model} charges per request: "
            "`assay audit --sample 500` recomputes some, `assay audit --all` all."
        )
    elif recheck is not None and recheck.vectors is not None and recheck.vectors < chunks:
        yield f"The vectors of {recheck.vectors} of {chunks} chunks were recomputed; `assay audit` recomputes all."


def checksums_not_recorded(context: CheckContext) -> Iterator[str]:
    """Count the vectors that have no checksum: all of a generation, or none."""
    pages = [page.url for page in context.catalog.known_pages(context.generation.id).values()]
    if pages and not context.catalog.checksums(context.generation.id, pages[:_PAGES]):
        yield (
            f"{context.generation.chunks} vectors have no recorded checksum, because an earlier version of Assay built "
            "this generation: a changed vector may go unnoticed. The next build records them."
        )


NOTES: tuple[Callable[[CheckContext], Iterable[str]], ...] = (
    placeholder_addresses,
    private_addresses,
    corrected_addresses,
    retitled_alike,
    empty_pages,
    same_pages_at_two_hosts,
    other_languages,
    other_editions,
    vectors_not_compared,
    checksums_not_recorded,
)
