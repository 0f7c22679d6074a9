"""The metadata of a document, for all readers."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from assay.errors import InputError
from assay.ingest.text.inlines import storable
from assay.ingest.text.normalized import NormalizedText
from assay.model.bounds import HEADING, NAME, TAGS, TITLE, URL, URL_SEGMENTS, shortened
from assay.model.documents import Document, DocumentInfo, RawPage
from assay.model.ids import document_id


def document_of(
    page: RawPage,
    info: DocumentInfo,
    normalized: NormalizedText,
    references: Mapping[str, str | None] | None = None,
) -> Document:
    """Build a page's document, with a notice for each kind of string that was cut."""
    notices = []
    if len(info.title) == TITLE and info.title.endswith("…"):
        notices.append(f"its title is cut to {TITLE} characters")
    if normalized.cut_headings:
        notices.append(
            f"{normalized.cut_headings} of its headings name their sections by their first {HEADING} characters"
        )
    if len(page.tags) > TAGS:
        notices.append(f"{TAGS} of its {len(page.tags)} tags are kept")
    return Document(
        info=info,
        text=normalized.text,
        sections=normalized.sections,
        blocks=normalized.blocks,
        links=normalized.links,
        source_hash=page.source_hash,
        key=page.key,
        notices=tuple(notices),
        references=references,
    )


def info_of(page: RawPage, title: str, generator: str) -> DocumentInfo:
    """The metadata of a page. generator: prefix of its type, as in `docusaurus`.

    Raises InputError for a URL that is too long: a cut URL would be a dead link in every chunk.
    """
    if len(page.url) > URL:
        raise InputError(f"its URL has {len(page.url):,} characters, over the limit of {URL:,}")
    if (segments := urlsplit(page.url).path.count("/")) > URL_SEGMENTS:
        raise InputError(f"its URL has {segments:,} path segments, over the limit of {URL_SEGMENTS}")
    return DocumentInfo(
        id=document_id(page.url),
        url=page.url,
        title=shortened(title, TITLE),
        source=page.source,
        source_path=page.source_path,
        slug=page.slug,
        source_type=f"{generator}-page",
        version=_named(page.version),
        locale=_named(page.locale),
        version_is_current=page.version_is_current,
        locale_is_default=page.locale_is_default,
        tags=tuple(shortened(storable(tag), NAME) for tag in page.tags[:TAGS]),
        address=page.address if page.address != page.url and len(page.address) <= URL else "",
    )


def _named(name: str | None) -> str | None:
    return None if name is None else shortened(name, NAME)
