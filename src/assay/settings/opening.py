"""Settings of one run: the configuration, and the folder or site that the caller names."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.settings.loading import Settings, load_settings
from assay.settings.sources import SourceSettings


def settings_for(config: Path | None, data_dir: Path | None, overrides: Mapping[str, Any] | None = None) -> Settings:
    """Read the settings of one run: file, environment, then what the caller passes.

    overrides: nested values that win over everything. A source among them that assay.toml has too keeps what is set
        for it there.

    Raises ConfigurationError.
    """
    values = dict(overrides or {})
    if data_dir is not None:
        values["data_dir"] = data_dir
    if "sources" in values:
        configured = load_settings(config, {key: value for key, value in values.items() if key != "sources"}).sources
        values["sources"] = [_as_configured(source, configured) for source in values["sources"]]
    return load_settings(config, values)


def is_site(source: str) -> bool:
    """Whether a source named by the caller is the address of a site, and not a folder."""
    return source.lower().startswith(("http://", "https://"))


def source_named(source: str) -> dict[str, Any]:
    """The `[[sources]]` table of a folder or site that the caller names."""
    return {"url": source} if is_site(source) else {"path": source}


def _as_configured(source: dict[str, Any], configured: Sequence[SourceSettings]) -> dict[str, Any]:
    """The source with what the settings say of the same one; what the caller says wins."""
    for known in configured:
        if _place(known.path, known.url) == _place(source.get("path"), source.get("url")):
            return known.model_dump(exclude_unset=True) | source
    return source


def _place(path: str | Path | None, url: str | None) -> Path | str:
    """Where a source is, in one spelling."""
    return Path(path).resolve() if path is not None else str(url).rstrip("/")
