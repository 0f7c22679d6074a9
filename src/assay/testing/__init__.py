"""Conformance kits: subclass one to prove that an adapter fulfils its Protocol in assay.ports. Needs pytest."""

from pkgutil import iter_modules

import pytest

# A failed assert then shows its values; must be called before the kits are imported.
pytest.register_assert_rewrite(*(f"{__name__}.{module.name}" for module in iter_modules(__path__)))

from assay.testing.catalog import CatalogConformance  # noqa: E402 - see above
from assay.testing.embedder import EmbedderConformance, SparseEncoderConformance  # noqa: E402 - see above
from assay.testing.reranker import RerankerConformance  # noqa: E402 - see above
from assay.testing.source import EditablePlace, SourceConformance  # noqa: E402 - see above
from assay.testing.vector_store import VectorStoreConformance  # noqa: E402 - see above

__all__ = [
    "CatalogConformance",
    "EditablePlace",
    "EmbedderConformance",
    "RerankerConformance",
    "SourceConformance",
    "SparseEncoderConformance",
    "VectorStoreConformance",
]
