"""Which URLs are a catalog's, and what is said of them."""

from pathlib import Path

import pytest
from tests.postgres import catalog_options

from assay.adapters.catalog.sql.database import connect
from assay.errors import ConfigurationError


@pytest.mark.parametrize("url", ["", "catalog.db", "not a url", "sqlite:/x"])
def test_what_is_no_url_is_refused_with_an_example(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"sqlite:///path/to/catalog\.db"):
        connect(url, create=True, options=catalog_options())


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite:///file:x?mode=memory&uri=true"])
def test_a_catalog_needs_a_file(url: str) -> None:
    with pytest.raises(ConfigurationError, match="MemoryCatalog"):
        connect(url, create=True, options=catalog_options())


def test_other_databases_are_refused_by_name() -> None:
    with pytest.raises(ConfigurationError, match="'mysql'"):
        connect("mysql://me:secret@host/db", create=True, options=catalog_options())


def test_no_error_repeats_a_password() -> None:
    for url in ("mysql://me:secret@host/db", "postgres//me:secret@host/db"):
        with pytest.raises(ConfigurationError) as caught:
            connect(url, create=True, options=catalog_options())
        assert "secret" not in str(caught.value)


def test_a_file_has_one_name_however_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.chdir(tmp_path)
    urls = ["sqlite:///real/c.db", f"sqlite:///{tmp_path}/link/c.db", "sqlite:///link/../real/c.db"]
    assert {connect(url, create=True, options=catalog_options()).path for url in urls} == {
        tmp_path.resolve() / "real" / "c.db"
    }
