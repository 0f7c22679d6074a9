"""What a document is known by, whichever reader made it."""

from assay.ingest.inlines import storable
from assay.model.documents import DocumentInfo, RawPage
from assay.model.ids import document_id


def info_of(page: RawPage, title: str, generator: str) -> DocumentInfo:
    """All that is known of a page besides its text. generator: what kind of page it is, as in `docusaurus`."""
    return DocumentInfo(
        id=document_id(page.url),
        url=page.url,
        title=title,
        source=page.source,
        source_path=page.source_path,
        slug=page.slug,
        source_type=f"{generator}-page",
        version=page.version,
        locale=page.locale,
        version_is_current=page.version_is_current,
        locale_is_default=page.locale_is_default,
        tags=tuple(storable(tag) for tag in page.tags),
    )
