"""Both catalogs do what the kit says."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.adapters.catalog.catalog import SqlCatalog
from assay.adapters.catalog.memory import MemoryCatalog
from assay.ports import Catalog
from assay.testing import CatalogConformance


class TestMemoryCatalog(CatalogConformance):
    @pytest.fixture
    def catalog(self) -> Catalog:
        return MemoryCatalog()


class TestSqlCatalogInSqlite(CatalogConformance):
    @pytest.fixture
    def catalog(self, tmp_path: Path) -> Iterator[Catalog]:
        catalog = SqlCatalog.open(f"sqlite:///{tmp_path}/catalog.db", create=True)
        yield catalog
        catalog.close()
