"""Precision and recall of reading HTML pages, compared with their sources.

Run as `python -m benchmarks.reading_sites`. The exit code is 1 unless every page of every generator is read completely
and without boilerplate. A unit is a sentence, a table row, a heading or a code block with its language and title; each
occurrence counts. To add a case, add a function that yields its pages to CASES.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from time import perf_counter

from tests.built_site import built_files
from tests.site_generators.kept import kept_pages
from tests.site_generators.units import score, units

from assay.adapters.sources.folder.source import FolderSource
from assay.ingest.reading import read_page
from assay.model.documents import MediaType, RawPage
from benchmarks.shared import shared_folder

GENERATORS = (
    "docusaurus", "material", "furo", "rtd", "vitepress", "starlight", "mdbook", "docsy", "nextra", "honkit", "gitbook",
    "antora", "vuepress", "rspress", "justthedocs",
)  # fmt: skip
_SITE = "http://127.0.0.1:3111/docs"


@dataclass(frozen=True, slots=True)
class ReadPage:
    """One page: its text as read, and from its source. seconds: time of reading it."""

    name: str
    read: str
    source: str
    seconds: float


def generated(generator: str) -> Iterator[ReadPage]:
    """The pages of the manual in tests/fixtures/sites, built by a generator."""
    for page in kept_pages():
        if page.name.startswith(f"{generator}/"):
            started = perf_counter()
            text = page.read().text
            yield ReadPage(page.name, text, page.expected, perf_counter() - started)


def built_site() -> Iterator[ReadPage]:
    """The current English pages of the shared folder's real site, against their Markdown as Assay reads it."""
    shared = shared_folder()
    if shared is None:
        return
    files = built_files(shared)
    folder = FolderSource(
        shared / "corpora" / "redux-toolkit" / "docs", name="folder", base_url=_SITE, max_page_bytes=5_000_000
    )
    for page in folder.read({}):
        if not isinstance(page, RawPage) or not page.primary:
            continue
        html = files.get(f"/docs{page.url.removeprefix(_SITE)}/index.html")
        if html is None:
            continue
        raw = RawPage(
            key=page.url,
            url=page.url,
            content=html.decode(),
            media_type=MediaType.HTML,
            source="site",
            source_path=page.url.removeprefix(_SITE),
            source_hash="",
            slug=page.slug,
        )
        started = perf_counter()
        text = read_page(raw).text
        seconds = perf_counter() - started
        yield ReadPage(page.url, text, read_page(page).text, seconds)


CASES: dict[str, Callable[[], Iterable[ReadPage]]] = {
    **{name: partial(generated, name) for name in GENERATORS},
    "Docusaurus, a real site": built_site,
}


def main() -> int:
    print(
        "| pages of | pages | units | precision | recall | lowest page | pages/s |\n|---|---:|---:|---:|---:|---:|---:|"
    )
    is_whole = True
    for name, pages in CASES.items():
        found = list(pages())
        if not found:
            continue
        read = [f"{page.name}\n{unit}" for page in found for unit in units(page.read)]
        expected = [f"{page.name}\n{unit}" for page in found for unit in units(page.source)]
        total = score(read, expected)
        each = [score(units(page.read), units(page.source)) for page in found]
        lowest = min(min(one.precision, one.recall) for one in each)
        speed = len(found) / sum(page.seconds for page in found)
        counts = f"{len(found)} | {len(expected):,}"
        print(f"| {name} | {counts} | {total.precision:.4f} | {total.recall:.4f} | {lowest:.3f} | {speed:,.0f} |")
        is_whole = is_whole and (name not in GENERATORS or total.precision == total.recall == 1.0)
    return 0 if is_whole else 1


if __name__ == "__main__":
    sys.exit(main())
