"""Every reader of texts from a folder, a site or a test set, as a function of the text."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from assay.adapters.embedders.remote.token_estimate import estimate_tokens
from assay.adapters.sources.folder.docusaurus.config import read_config
from assay.adapters.sources.folder.front_matter import split_front_matter
from assay.adapters.sources.folder.includes import IncludeRules, find_includes, mentioned_files
from assay.adapters.sources.folder.mkdocs.config import parse_config, path_patterns
from assay.adapters.sources.site.crawling.page_fetch import looks_like_html
from assay.adapters.sources.site.discovery.robots import Robots, meta_directives
from assay.adapters.sources.site.discovery.sitemaps import read_llms, read_sitemap
from assay.adapters.sources.site.http.decoding import decode_text
from assay.adapters.sources.site.pages.facts import read_html_facts, read_markdown_facts
from assay.adapters.testset_files.loading import parse
from assay.adapters.testset_files.text_file import TextFile
from assay.errors import AssayError
from assay.ingest.chunking.chunker import ChunkingRules, chunk_document
from assay.ingest.reading import read_page
from assay.ingest.text.blocks import blocks_of
from assay.model.documents import MediaType, RawPage
from assay.validation.deriving.phrases import plain, why_no_query
from assay.validation.judgments.folding import fold
from benchmarks.hostile_inputs import Hostile, of_html, of_text

_RULES = ChunkingRules(1_800, None, 0, "characters")
_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_HERE = Path(__file__).resolve().parent
_MEGABYTE = 1_024_000


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader. texts: its hostile texts. longest: maximum characters of its input."""

    name: str
    work: Callable[[str], object]
    texts: Callable[[], Iterator[Hostile]]
    longest: int = _MEGABYTE


def _page(text: str, media_type: MediaType, generator: str | None) -> RawPage:
    return RawPage(
        key="a.md",
        url="https://docs.example.org/a",
        content=text,
        media_type=media_type,
        source="growth",
        source_path="a.md",
        source_hash="0" * 64,
        slug="a",
        generator=generator,
    )


def _read(media_type: MediaType, generator: str | None) -> Callable[[str], object]:
    def work(text: str) -> object:
        document = read_page(_page(text, media_type, generator))
        return chunk_document(document, _RULES, lambda texts: [len(one) for one in texts])

    return work


def _tolerant(work: Callable[[str], object]) -> Callable[[str], object]:
    def tried(text: str) -> None:
        with suppress(AssayError):
            work(text)

    return tried


def _recut(text: str) -> object:
    document = read_page(_page(text, MediaType.MARKDOWN, None))
    return blocks_of(text, document.sections[:0])


def _test_set(form: str) -> Callable[[str], object]:
    def work(text: str) -> object:
        file = TextFile(Path(f"a.{form}"), text, "utf-8", b"", b"")
        return parse(file, form, text_keys=frozenset({"id"}), free_key="meta")

    return work


def _everything() -> Iterator[Hostile]:
    return chain(of_text(), of_html())


def readers() -> Iterator[Reader]:
    """Every reader with its hostile texts."""
    rules = IncludeRules(root=_HERE, site="", folders=("",), limit=5_000_000)
    yield Reader("page, Markdown", _read(MediaType.MARKDOWN, None), of_text)
    yield Reader("page, MkDocs", _read(MediaType.MARKDOWN, "mkdocs"), of_text)
    yield Reader("page, Docusaurus", _read(MediaType.MDX, "docusaurus"), of_text)
    yield Reader("page, HTML", _read(MediaType.HTML, None), _everything)
    yield Reader("blocks of a stored text", _recut, of_text)
    yield Reader("facts of an HTML page", lambda text: read_html_facts(text, "https://a.org/1", {}, _NOW), _everything)
    yield Reader("facts of a Markdown page", lambda text: read_markdown_facts(text, {}, _NOW), of_text)
    yield Reader("front matter", _tolerant(lambda text: split_front_matter(f"---\n{text}\n---\n{text}")), of_text)
    yield Reader("includes", _tolerant(lambda text: find_includes(rules, "a.md", text)), of_text)
    yield Reader("linked files", mentioned_files, of_text)
    yield Reader("configuration, Docusaurus", _tolerant(read_config), of_text)
    yield Reader("configuration, MkDocs", _tolerant(parse_config), of_text)
    yield Reader("patterns of MkDocs", path_patterns, of_text)
    yield Reader(
        "sitemap", lambda text: read_sitemap(text.encode(), "", "https://a.org/a.xml", 50_000_000), _everything
    )
    yield Reader(
        "sitemap, XML",
        lambda text: read_sitemap(f"<?xml version='1.0'?><urlset>{text}".encode(), "", "https://a.org/a", 50_000_000),
        _everything,
    )
    yield Reader("llms.txt", read_llms, of_text)
    yield Reader("robots.txt", lambda text: Robots(text).allows("https://a.org/" + "a/" * 400), of_text, 512 * 1024)
    yield Reader("robots of a page", lambda text: meta_directives(text, _NOW), of_text)
    yield Reader("encoding of a page", lambda text: decode_text(text.encode(), ""), of_text)
    yield Reader("kind of an answer", lambda text: looks_like_html(text.encode()), of_text)
    yield Reader("tokens estimated", lambda text: estimate_tokens([text]), of_text)
    yield Reader("folded passages", fold, of_text)
    yield Reader("derived queries", lambda text: why_no_query(plain(text), lambda _: False), of_text, 64_000)
    for form in ("yaml", "jsonl"):
        yield Reader(f"test set, {form}", _tolerant(_test_set(form)), of_text)
