"""Functions that build adapters from settings."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from assay.adapters.stores.edge.engine import Compression
from assay.adapters.stores.edge.store import EdgeStore
from assay.app.embedders import models_by_dimension
from assay.child_process import worker_count
from assay.errors import (
    ConfigurationError,
)
from assay.model.ids import content_hash, slug_from_path
from assay.ports import (
    SparseEncoder,
    VectorStore,
)
from assay.settings import (
    QdrantSettings,
    Settings,
    SourceSettings,
)

if TYPE_CHECKING:
    from assay.adapters.sources.built.source import BuiltSource
    from assay.adapters.sources.folder.source import FolderSource
    from assay.adapters.sources.site.source import SiteSource
    from assay.adapters.stores.adopted.store import AdoptedStore


_PROCESS_FROM = 5_000
"""Chunks from which other processes share in writing an index and checking it; to start one takes as long as 3,000."""


def embedded_store(settings: Settings, folder: Path) -> VectorStore:
    """Build the embedded store over a folder."""
    index = settings.index
    return EdgeStore(
        folder,
        hnsw_threshold=index.hnsw_threshold,
        compression=index.options(Compression),
        process_from=process_from(settings),
    )


def process_from(settings: Settings) -> int | None:
    """Number of chunks from which other processes share in the work on an index; None for never."""
    return _PROCESS_FROM if worker_count(settings.ingest.workers) else None


def qdrant_store(settings: Settings) -> VectorStore:
    """Build the store on the server of [qdrant]. Imports its client only here, because that takes half a second."""
    qdrant = settings.qdrant
    _require_server(qdrant, 'The vector store is "qdrant"', ', or [index] store to "embedded"')
    from assay.adapters.stores.qdrant.options import Access, CollectionLayout, ReadOptions, UploadOptions
    from assay.adapters.stores.qdrant.store import QdrantStore

    return QdrantStore(
        qdrant.options(Access),
        qdrant.collection,
        layout=qdrant.options(CollectionLayout, hnsw_threshold=settings.index.hnsw_threshold),
        loading=qdrant.options(UploadOptions),
        reading=qdrant.options(ReadOptions),
    )


def adopted_store(settings: Settings, encoder: SparseEncoder) -> "AdoptedStore":
    """Build the store of the collection of [index] adopt. Raises ConfigurationError."""
    index = settings.index
    if index.adopt is None:
        raise ConfigurationError(
            "No collection is adopted.", hint="Set [index] adopt to the name of one on the server of [qdrant] url."
        )
    if index.store not in {None, "qdrant"}:
        raise ConfigurationError(
            f"[index] adopt is {index.adopt}, but [index] store is `{index.store}`.",
            hint="Remove [index] store: an adopted collection is on a Qdrant server.",
        )
    _require_server(settings.qdrant, f"[index] adopt is {index.adopt}", "")
    from assay.adapters.stores.adopted.mapping import FieldMapping
    from assay.adapters.stores.adopted.store import AdoptedStore, Adoption
    from assay.adapters.stores.qdrant.options import Access, ReadOptions

    mapping = FieldMapping(index.mapping.paths, index.mapping.first_position, index.mapping.base_url)
    return AdoptedStore(
        settings.qdrant.options(Access),
        Adoption(index.adopt, index.preset, index.vector, mapping),
        reading=settings.qdrant.options(ReadOptions),
        encoder=encoder,
        models=models_by_dimension(),
    )


def _require_server(qdrant: QdrantSettings, reason: str, alternative: str) -> None:
    """Raise ConfigurationError without the server's URL, or without the client, which takes half a second to load.

    reason: why a server is needed. alternative: other settings that would do, for the hint.
    """
    if qdrant.url is None:
        raise ConfigurationError(
            f"{reason}, but the URL of the server is not set.", hint=f"Set [qdrant] url or QDRANT_URL{alternative}."
        )
    if find_spec("qdrant_client") is None:
        raise ConfigurationError(
            f"{reason}, but the package qdrant_client is not installed.",
            hint="Install it: `pip install '.[qdrant]'` in Assay's checkout.",
        )


def source_of(settings: SourceSettings, data_dir: Path) -> "FolderSource | BuiltSource | SiteSource":
    """Build the source of one `[[sources]]` table. data_dir: Assay's folder, which stores the pages of a site.

    Imports its reader only here, because a search needs none.
    """
    if settings.path is None:
        return _site_source(settings, data_dir)
    from assay.adapters.sources.built.detection import is_built_site

    if settings.convention == "html" or (settings.convention is None and is_built_site(settings.path)):
        return _built_source(settings, settings.path, data_dir)
    from assay.adapters.sources.folder.source import FolderSource

    return FolderSource(
        settings.path,
        base_url=settings.base_url,
        name=settings.name,
        current_version=settings.current_version,
        default_locale=settings.default_locale,
        convention=settings.convention,
        max_page_bytes=settings.max_page_bytes,
        data_dir=data_dir,
    )


def _built_source(settings: SourceSettings, path: Path, data_dir: Path) -> "BuiltSource":
    from assay.adapters.sources.built.source import BuiltRequest, BuiltSource
    from assay.adapters.sources.site.options import DefaultVariant, SiteScope

    request = BuiltRequest(
        path,
        settings.base_url,
        settings.name,
        settings.options(SiteScope),
        DefaultVariant(settings.current_version, settings.default_locale),
        settings.max_page_bytes,
        obeys_robots=settings.robots,
    )
    store = f"{slug_from_path(path.name)}-{content_hash(f'{settings.name} {path.absolute()}')[:12]}.sqlite"
    return BuiltSource(request, data_dir / "crawl" / store, data_dir)


def _site_source(settings: SourceSettings, data_dir: Path) -> "SiteSource":
    from assay.adapters.sources.site.options import DefaultVariant, Politeness, SiteLimits, SiteRequest, SiteScope
    from assay.adapters.sources.site.source import SiteSource

    url = str(settings.url)
    name = settings.name or str(urlsplit(url).hostname)
    store = f"{slug_from_path(name)}-{content_hash(f'{name} {url}')[:12]}.sqlite"
    request = SiteRequest(
        url,
        name,
        settings.options(SiteScope),
        settings.options(SiteLimits),
        settings.options(Politeness),
        DefaultVariant(settings.current_version, settings.default_locale),
        {header: value.get_secret_value() for header, value in settings.headers.items()},
    )
    return SiteSource(request, data_dir / "crawl" / store)


def shipped_folder(name: str) -> Path:
    """Return the folder `docs` or `examples` of the installed package or of the checkout.

    Raises ConfigurationError if it is missing.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / name, package.parent.parent / name):
        if folder.is_dir():
            return folder
    raise ConfigurationError(f"The folder {name} is missing from this installation.", hint="Reinstall Assay.")
