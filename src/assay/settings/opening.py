"""The settings of one run: the configuration, and the sources passed by the caller."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import SourceError
from assay.path_checks import exists
from assay.settings.loading import Settings, load_settings
from assay.settings.sources import SourceSettings


def settings_for(config: Path | None, data_dir: Path | None, overrides: Mapping[str, Any] | None = None) -> Settings:
    """Load the settings of one run from the file, the environment and the caller's values.

    overrides: nested values that win over everything. A source that assay.toml has too keeps its other settings there.

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
    """Whether a source is the URL of a site, not a folder."""
    return source.lower().startswith(("http://", "https://"))


_MALFORMED_URL = re.compile(r"(?:(https?)[:/]+)?((?:[a-z0-9-]+\.)+[a-z]{2,}|localhost)(:\d+)?(/.*)?", re.IGNORECASE)
_FILES = (".md", ".mdx", ".markdown", ".txt", ".html", ".zip", ".toml", ".yaml", ".yml", ".json")


def source_named(source: str) -> dict[str, Any]:
    """Return the `[[sources]]` table for a folder or the URL of a site.

    Raises SourceError for a malformed URL that is no folder, such as `docs.example.org`.
    """
    malformed = _MALFORMED_URL.fullmatch(source)
    if malformed and not is_site(source) and not source.lower().endswith(_FILES) and not exists(Path(source)):
        scheme, host, port, path = malformed.groups()
        scheme = scheme or ("http" if host == "localhost" else "https")
        url = f"{scheme.lower()}://{host}{port or ''}{path or ''}"
        raise SourceError(f"There is no folder or file {source}.", hint=f"Did you mean {url}?")
    return {"url": source} if is_site(source) else {"path": source}


def _as_configured(source: dict[str, Any], configured: Sequence[SourceSettings]) -> dict[str, Any]:
    """Add the configured settings of the same source; the caller's values win."""
    for known in configured:
        if _location(known.path, known.url) == _location(source.get("path"), source.get("url")):
            return known.model_dump(exclude_unset=True) | source
    return source


def _location(path: str | Path | None, url: str | None) -> Path | str:
    """The normalized path or URL of a source."""
    return Path(path).resolve() if path is not None else str(url).rstrip("/")
