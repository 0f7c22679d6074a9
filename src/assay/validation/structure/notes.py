"""What passes, and a reader of the verdict should know all the same."""

import ipaddress
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from urllib.parse import urlsplit

from assay.errors import AssayError
from assay.model.counting import counted
from assay.model.ids import is_placeholder
from assay.validation.content.languages import LANGUAGES, signs_of_languages
from assay.validation.structure.judged import Judged

_PAGES = 20

_FEWEST = 3
"""So few pages that two hosts both have may be a notice or a licence."""


_BEGINNING = 2_000
"""Characters of a page that its language is told by; of all pages that is enough."""

_LEAST_SIGNS = 100
"""With fewer common words than this, names and loan words may decide."""

_FEW_SIGNS = 0.1
"""Common words of a language that the pages are not written in, as a share of those of their own: quotes, and words
that both languages have."""


def structure_notes(judged: Judged) -> list[str]:
    """Every note on a generation's structure, in the order of the report.

    What cannot be read is left out: the checks say so.
    """
    found: list[str] = []
    for note in NOTES:
        with suppress(AssayError):
            found += note(judged)
    return found


def placeholder_addresses(judged: Judged) -> Iterator[str]:
    """Count the pages without a real address."""
    made_up = sum(is_placeholder(page.url) for page in judged.catalog.known_pages(judged.generation.id).values())
    if made_up:
        pages = counted(made_up, "page has", "pages have")
        yield f"{pages} no real address: links of hits lead nowhere until --base-url is given."


def private_addresses(judged: Judged) -> Iterator[str]:
    """Name the hosts that not every reader of a hit can reach."""
    hosts = Counter(_host(page.url) for page in judged.catalog.known_pages(judged.generation.id).values())
    for host, pages in hosts.most_common():
        if (reach := _private(host)) is not None:
            yield (
                f"{counted(pages, 'page is', 'pages are')} at {host}: links of hits work {reach} alone. Is another "
                "address meant? Give it with --base-url, or crawl the public site."
            )


def same_pages_at_two_hosts(judged: Judged) -> Iterator[str]:
    """Name hosts most of whose pages say what pages of another host say: a mirror, or two addresses of one site."""
    pages = [page.url for page in judged.catalog.known_pages(judged.generation.id).values()]
    hosts = Counter(map(_host, pages))
    if len(hosts) < 2:
        return
    with_text: defaultdict[str, set[str]] = defaultdict(set)
    for page in judged.catalog.documents(judged.generation.id):
        with_text[page.text_hash].add(_host(page.info.url))
    shared = Counter((one, other) for found in with_text.values() for one in found for other in found if one < other)
    for (one, other), count in shared.most_common():
        if count >= _FEWEST and count > min(hosts[one], hosts[other]) / 2:
            yield (
                f"{count} pages are at {one} and, with the same text, at {other}: most answers come twice. Is one a "
                "mirror of the other? Then leave it out of the sources."
            )


def other_languages(judged: Judged) -> Iterator[str]:
    """Name sources whose default locale is not the language that their pages are written in.

    Other locales are left out: pages that nobody translated yet are in the original's language.
    """
    signs: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for page in judged.catalog.documents(judged.generation.id):
        language = (page.info.locale or "").replace("_", "-").partition("-")[0].lower()
        if page.info.locale_is_default and language in LANGUAGES:
            signs[page.info.source, language].update(signs_of_languages(page.text[:_BEGINNING]))
    for (source, declared), counts in signs.items():
        written, count = counts.most_common(1)[0]
        if count >= _LEAST_SIGNS and counts[declared] < _FEW_SIGNS * count:
            yield (
                f"The pages of {source} are said to be in `{declared}`, and read as `{written}`: a search that asks "
                f"for `{written}` leaves them out. Set default_locale of the source, or the `lang` of the pages."
            )


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _private(host: str) -> str | None:
    """Where a host can be reached that not everybody can reach; None for a public one."""
    if host == "localhost" or host.endswith(".localhost"):
        return "on this machine"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    if address.is_loopback:
        return "on this machine"
    return "within its network" if address.is_private else None


def vectors_not_compared(judged: Judged) -> Iterator[str]:
    """Say which vectors were not made again, and the command that makes them."""
    recheck, chunks = judged.recheck, judged.generation.chunks
    if recheck is not None and recheck.embedder is None:
        yield (
            f"Most vectors were not made anew to compare, for {judged.generation.embedder.model} is paid by the "
            "request: `assay audit --sample 500` makes some, `assay audit --all` every one."
        )
    elif recheck is not None and recheck.vectors is not None and recheck.vectors < chunks:
        yield f"The vectors of {recheck.vectors} of {chunks} chunks were made anew; `assay audit` makes every one."


def checksums_not_recorded(judged: Judged) -> Iterator[str]:
    """Count the vectors that have no checksum: all of a generation, or none."""
    pages = [page.url for page in judged.catalog.known_pages(judged.generation.id).values()]
    if pages and not judged.catalog.checksums(judged.generation.id, pages[:_PAGES]):
        yield (
            f"{judged.generation.chunks} vectors have no recorded checksum, for an earlier version of Assay built this "
            "generation: a vector that was changed since may go unnoticed. The next build records them."
        )


NOTES: tuple[Callable[[Judged], Iterable[str]], ...] = (
    placeholder_addresses,
    private_addresses,
    same_pages_at_two_hosts,
    other_languages,
    vectors_not_compared,
    checksums_not_recorded,
)
