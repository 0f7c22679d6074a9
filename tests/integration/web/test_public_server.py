"""An address that others reach, and pages whose addresses only stand in for real ones."""

from pathlib import Path

import pytest
from tests.integration.web.conftest import BASE_URL, write_pages
from tests.integration.web.wire import make_key

from assay.app import Assay
from assay.errors import ConfigurationError
from assay.model.access import Scope
from assay.settings import Settings, load_settings
from assay.web.serving import server


def _settings(folder: Path, **source: object) -> Settings:
    pages = {"path": folder / "pages", "name": "manual", "convention": "plain", **source}
    return load_settings(
        None, {"data_dir": folder / "index", "sources": [pages], "server": {"keys_file": folder / "keys.json"}}
    )


class Listened(Exception):
    """It came as far as opening a socket."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def listen(_host: str, _port: int) -> None:
        raise Listened

    monkeypatch.setattr(server, "listen", listen)
    write_pages(tmp_path / "pages")
    make_key(tmp_path / "keys.json", "operator", Scope.ADMIN)
    return tmp_path


def test_a_generation_whose_addresses_are_made_up_is_not_served_to_others(folder: Path) -> None:
    with Assay.open(_settings(folder)) as assay:
        assert assay.publish().promoted
    refused = pytest.raises(ConfigurationError, match=r"pages with placeholder URLs.*--base-url")
    with Assay.open(_settings(folder)) as assay, refused:
        server.serve(assay, "0.0.0.0", 0, allow_public=True)
    with Assay.open(_settings(folder)) as assay, pytest.raises(Listened):
        server.serve(assay, "127.0.0.1", 0)


def test_one_that_is_promoted_later_is_not_either_and_what_was_served_stays(folder: Path) -> None:
    with Assay.open(_settings(folder, base_url=BASE_URL)) as assay:
        first = assay.publish().promoted
    assert first
    with Assay.open(_settings(folder, base_url=BASE_URL)) as serving:
        with pytest.raises(Listened):
            server.serve(serving, "0.0.0.0", 0, allow_public=True)
        with Assay.open(_settings(folder)) as building:
            second = building.builds.ingest(rebuild=True).generation
        with pytest.raises(ConfigurationError, match="placeholder URLs"):
            serving.searches.open(second.id)
        assert serving.searches.health().generation == first.id
