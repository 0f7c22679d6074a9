"""Where pages are: their addresses, and the versions and locales that searches look in."""

from collections.abc import Iterator

from assay.model.counting import counted
from assay.model.evaluation import Finding
from assay.model.ids import is_placeholder
from assay.ports import Progress
from assay.validation.structure.judged import Judged, StructuralLimits, finding


def addresses(judged: Judged, _: StructuralLimits, __: Progress) -> Iterator[Finding]:
    """Whether the pages have real addresses, once a generation with real ones is live.

    A source whose live pages have none already may go on without.
    """
    live = list(judged.catalog.listing(judged.live.id)) if judged.live else []
    without = {document.info.source for document in live if is_placeholder(document.info.url)}
    made_up = [
        document.info.url
        for document in judged.catalog.listing(judged.generation.id)
        if is_placeholder(document.info.url) and document.info.source not in without
    ]
    has_real = any(not is_placeholder(document.info.url) for document in live)
    share = len(made_up) / max(judged.generation.documents, 1)
    yield finding(
        "addresses",
        not (made_up and has_real),
        1.0 - share,
        "no page without a real address where the live generation has real ones",
        f"{counted(len(made_up), 'page has', 'pages have')} no real address ({', '.join(made_up[:1])}): "
        "hits would link to nowhere. Give the folder's address with --base-url, or as `base_url` in [[sources]]",
        made_up,
    )


def searched_by_default(judged: Judged, _: StructuralLimits, __: Progress) -> Iterator[Finding]:
    """A finding where no page is of a current version and a default locale at once: most searches find nothing then."""
    pages = [document.info for document in judged.catalog.listing(judged.generation.id)]
    if not pages or any(info.primary for info in pages):
        return
    versions = sorted({info.version or "none" for info in pages if info.version_is_current})
    locales = sorted({info.locale or "none" for info in pages if info.locale_is_default})
    yield finding(
        "searched by default",
        False,
        0.0,
        "some page is of a current version and in a default locale",
        f"none of the {len(pages)} pages is: current is version {', '.join(versions) or 'none'}, the default locale is "
        f"{', '.join(locales) or 'none'}, and they never meet. Set current_version and default_locale of the source",
    )
