"""Options and limits are filled from the settings of the same names, which have the same types."""

from dataclasses import fields
from typing import Any, get_args, get_type_hints

import pytest
from pydantic import SecretStr

from assay.adapters.embedders.remote.embedder import RemoteRules
from assay.adapters.sources.site.options import Politeness, SiteLimits, SiteScope
from assay.adapters.stores.edge.engine import Compression
from assay.adapters.stores.qdrant.options import Access, CollectionLayout, ReadOptions, UploadOptions
from assay.ingest.workers.limits import PageLimits
from assay.settings import (
    EmbeddingSettings,
    GateSettings,
    IndexSettings,
    IngestSettings,
    QdrantSettings,
    SourceSettings,
)
from assay.settings.table import Table
from assay.validation.gate.policy import QualityLimits
from assay.validation.structure import StructuralLimits

FILLED: list[tuple[type[Table], type[Any], set[str]]] = [
    (
        EmbeddingSettings,
        RemoteRules,
        {"max_tokens", "batch_texts", "batch_tokens", "rates", "rate_seconds", "first_retry"},
    ),
    (GateSettings, QualityLimits, {"completeness", "hashes", "measures"}),
    (GateSettings, StructuralLimits, {"max_page_rise"}),
    (IngestSettings, PageLimits, set()),
    (IndexSettings, Compression, set()),
    (QdrantSettings, Access, set()),
    (QdrantSettings, CollectionLayout, {"hnsw_threshold"}),
    (QdrantSettings, UploadOptions, set()),
    (QdrantSettings, ReadOptions, set()),
    (SourceSettings, SiteScope, set()),
    (SourceSettings, SiteLimits, {"page_seconds", "read_seconds", "query_pages", "sitemap_files", "sitemap_bytes"}),
    (
        SourceSettings,
        Politeness,
        {"first_retry_seconds", "max_wait_seconds", "max_total_wait_seconds", "resume_hours"},
    ),
]


def _types(hint: object) -> set[object]:
    """The types of a union, a secret as the text that it covers."""
    return {str if part is SecretStr else part for part in get_args(hint) or (hint,)}


@pytest.mark.parametrize(("table", "kind", "others"), FILLED, ids=lambda each: getattr(each, "__name__", ""))
def test_each_field_has_a_setting_of_its_name_and_type(table: type[Table], kind: type[Any], others: set[str]) -> None:
    settings, options = get_type_hints(table), get_type_hints(kind)
    for field in fields(kind):
        if field.name not in others:
            extra = _types(settings[field.name]) - _types(options[field.name])
            assert extra <= {type(None)}, field.name  # a missing address is refused before


def test_secrets_are_uncovered_and_given_values_win() -> None:
    access = QdrantSettings(url="http://host:6333", api_key=SecretStr("a-key")).options(Access, retries=7)
    assert (access.url, access.api_key, access.retries) == ("http://host:6333", "a-key", 7)
