"""The conformance kit for catalogs.

class TestMyCatalog(CatalogConformance):
    @pytest.fixture
    def catalog(self):
        yield MyCatalog(...)  # a new, empty one
"""

import pytest

from assay.ports import Catalog
from assay.testing.catalog_checksums import ChecksumConformance
from assay.testing.catalog_documents import DocumentConformance
from assay.testing.catalog_generations import GenerationConformance
from assay.testing.catalog_passages import PassageConformance
from assay.testing.catalog_vocabularies import VocabularyConformance


class CatalogConformance(
    GenerationConformance, DocumentConformance, PassageConformance, ChecksumConformance, VocabularyConformance
):
    """Tests of assay.ports.Catalog. Subclass it with a fixture `catalog`."""

    @pytest.fixture
    def catalog(self) -> Catalog:
        """A new, empty catalog for each test."""
        raise NotImplementedError("override the fixture `catalog`")
