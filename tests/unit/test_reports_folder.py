"""Where reports are written: below the working directory, unless it is said otherwise."""

from pathlib import Path

import pytest

from assay.settings import load_settings


def test_reports_go_below_the_working_directory_wherever_the_configuration_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "assay.toml").write_text("", encoding="utf-8")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    settings = load_settings(tmp_path / "elsewhere" / "assay.toml")
    assert settings.validation.output_dir.resolve() == tmp_path / "work" / "validation_results"
    named = load_settings(tmp_path / "elsewhere" / "assay.toml", {"validation": {"output_dir": Path("mine")}})
    assert named.validation.output_dir.resolve() == tmp_path / "work" / "mine"
