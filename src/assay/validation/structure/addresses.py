"""Checks of the pages' addresses, and of the versions and locales that searches use by default."""

from collections.abc import Iterator

from assay.model.counting import counted
from assay.model.evaluation import Finding
from assay.model.ids import is_placeholder
from assay.ports import Progress
from assay.validation.structure.context import CheckContext, StructuralLimits, finding


def addresses(context: CheckContext, _: StructuralLimits, __: Progress) -> Iterator[Finding]:
    """Check that pages have real addresses if the live generation has any.

    A source whose live pages already lack them may stay without.
    """
    live = list(context.catalog.listing(context.live.id)) if context.live else []
    without = {document.info.source for document in live if is_placeholder(document.info.url)}
    made_up = [
        document.info.url
        for document in context.catalog.listing(context.generation.id)
        if is_placeholder(document.info.url) and document.info.source not in without
    ]
    has_real = any(not is_placeholder(document.info.url) for document in live)
    share = len(made_up) / max(context.generation.documents, 1)
    yield finding(
        "addresses",
        not (made_up and has_real),
        1.0 - share,
        "every page has a real address if the live generation has real ones",
        f"{counted(len(made_up), 'page has', 'pages have')} no real address ({', '.join(made_up[:1])}): links of hits "
        "would not work. Set the folder's address with --base-url, or with `base_url` in [[sources]]",
        made_up,
    )


def searched_by_default(context: CheckContext, _: StructuralLimits, __: Progress) -> Iterator[Finding]:
    """Fail if no page has both a current version and a default locale: most searches then find nothing."""
    pages = [document.info for document in context.catalog.listing(context.generation.id)]
    if not pages or any(info.primary for info in pages):
        return
    versions = sorted({info.version or "none" for info in pages if info.version_is_current})
    locales = sorted({info.locale or "none" for info in pages if info.locale_is_default})
    yield finding(
        "searched by default",
        False,
        0.0,
        "some page is of a current version and in a default locale",
        f"none of the {len(pages)} pages has both. Current versions: {', '.join(versions) or 'none'}; default locales: "
        f"{', '.join(locales) or 'none'}. Set current_version and default_locale of the source",
    )
