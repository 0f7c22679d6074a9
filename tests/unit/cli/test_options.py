"""Messages about the settings of a run, before a command begins."""

from pathlib import Path

import pytest

from assay.cli.options import settings_from

CATALOG = "sqlite:////elsewhere/catalog.sqlite"


def test_a_data_directory_is_said_not_to_change_a_catalog_with_an_address_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", CATALOG)
    assert settings_from(None, tmp_path).catalog_url == CATALOG
    said = capsys.readouterr()
    assert (said.out, " ".join(said.err.split())) == (
        "",
        "--data-dir does not change the catalog: catalog.url or DATABASE_URL names it.",
    )


@pytest.mark.parametrize(("given", "url"), [(True, None), (False, CATALOG), (False, None)])
def test_nothing_is_said_without_the_option_or_if_the_catalog_is_in_the_data_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], given: bool, url: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    if url:
        monkeypatch.setenv("DATABASE_URL", url)
    settings_from(None, tmp_path if given else None)
    assert capsys.readouterr().err == ""
