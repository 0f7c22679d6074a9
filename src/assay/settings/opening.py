"""Settings of one run: the configuration, and the folder or site that the caller names."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import SourceError
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


_ALMOST_A_SITE = re.compile(r"(?:(https?)[:/]+)?((?:[a-z0-9-]+\.)+[a-z]{2,}|localhost)(:\d+)?(/.*)?", re.IGNORECASE)
_FILES = (".md", ".mdx", ".markdown", ".txt", ".html", ".zip", ".toml", ".yaml", ".yml", ".json")


def source_named(source: str) -> dict[str, Any]:
    """The `[[sources]]` table of a folder or site that the caller names.

    Raises SourceError for what is no folder and reads like the address of a site.
    """
    almost = _ALMOST_A_SITE.fullmatch(source)
    if almost and not is_site(source) and not source.lower().endswith(_FILES) and not Path(source).exists():
        scheme, host, port, path = almost.groups()
        scheme = scheme or ("http" if host == "localhost" else "https")
        address = f"{scheme.lower()}://{host}{port or ''}{path or ''}"
        raise SourceError(f"There is no folder or file {source}.", hint=f"Did you mean {address}?")
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
