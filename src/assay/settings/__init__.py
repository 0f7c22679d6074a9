"""Settings: the only reader of the environment and of assay.toml.

Later wins: defaults, assay.toml, the environment, then values passed by the caller (command line flags).
Every setting has an environment variable: `ASSAY_` and its path in capitals, with two underscores after each table
(`ASSAY_SEARCH__TOP_K=8`).

`loading` reads them; each other module has the tables for one purpose.
"""

from assay.settings.building import ChunkingSettings, EmbeddingSettings, IngestSettings, SparseSettings
from assay.settings.judging import GateSettings, LimitSettings, ReleaseSettings, ValidationSettings
from assay.settings.loading import (
    CONFIG_FILE,
    SEED_VARIABLES,
    TRACE_VARIABLES,
    Settings,
    load_settings,
    misspelled_variables,
    pickle_settings,
    unpickle_settings,
)
from assay.settings.opening import is_site, settings_for, source_named
from assay.settings.querying import QuerySettings
from assay.settings.reranking import RerankSettings
from assay.settings.searching import DENSE_WEIGHT, STATIC_DENSE_WEIGHT, SearchSettings
from assay.settings.serving import ServerSettings
from assay.settings.sources import SourceSettings
from assay.settings.storing import CatalogSettings, IndexSettings, MappingSettings, QdrantSettings

__all__ = [
    "CONFIG_FILE",
    "DENSE_WEIGHT",
    "SEED_VARIABLES",
    "STATIC_DENSE_WEIGHT",
    "TRACE_VARIABLES",
    "CatalogSettings",
    "ChunkingSettings",
    "EmbeddingSettings",
    "GateSettings",
    "IndexSettings",
    "IngestSettings",
    "LimitSettings",
    "MappingSettings",
    "QdrantSettings",
    "QuerySettings",
    "ReleaseSettings",
    "RerankSettings",
    "SearchSettings",
    "ServerSettings",
    "Settings",
    "SourceSettings",
    "SparseSettings",
    "ValidationSettings",
    "is_site",
    "load_settings",
    "misspelled_variables",
    "pickle_settings",
    "settings_for",
    "source_named",
    "unpickle_settings",
]
