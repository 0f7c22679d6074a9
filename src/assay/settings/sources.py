"""Settings of the sources that documents are read from."""

import re
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator

from assay.settings.table import Table

_FOLDER_ONLY = ("base_url", "convention")
_HTML_ONLY = ("include", "exclude", "sitemaps", "robots")
_SITE_ONLY = (
    *("headers", "max_pages", "max_depth", "max_total_bytes"),
    *("max_seconds", "retries", "concurrency", "delay_seconds"),
)
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TRANSPORT_HEADERS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "range"}
)
"""Headers that the HTTP client sets itself."""


class SourceSettings(Table):
    """One `[[sources]]` table: a folder (`path`) or a site (`url`).

    `base_url` and `convention` are for folders only; `headers` and all settings after it are for sites only. `include`,
    `exclude`, `sitemaps` and `robots` are for sites, and for a folder with `convention = "html"`.
    """

    path: Path | None = Field(
        default=None,
        description="Folder (or single file) with Markdown or MDX; or folder or archive (.zip, .tar, .tar.gz, "
        ".tgz) with the HTML that a site generator wrote.",
    )
    url: str | None = Field(
        default=None,
        description="URL of a documentation site, such as `https://docs.example.org/guide/`; pages under it are read.",
    )
    name: str | None = Field(
        default=None,
        description="Short name stored with every document, for the filter `sources`. If unset, the name of the folder "
        "or host.",
    )
    boost: float = Field(
        default=1.0,
        gt=0,
        le=10,
        description="Factor for the ranking scores of its chunks; does not change the similarity.",
    )
    base_url: str | None = Field(default=None, description="URL at which the folder is published.")
    convention: Literal["docusaurus", "mkdocs", "plain", "html"] | None = Field(
        default=None,
        description="How the folder is read: as the source of a generator, as `plain` Markdown, or as the `html` of a "
        "built site. If unset, detected from the configuration of the generator and the files.",
    )
    current_version: str | None = Field(
        default=None, description="Version searched by default; the latest release if unset."
    )
    default_locale: str | None = Field(
        default=None, description="Locale searched by default; the site's default if unset."
    )
    max_page_bytes: int = Field(default=5_000_000, ge=1_000, description="Largest page, in bytes; larger ones fail.")
    include: tuple[str, ...] = Field(
        default=(),
        description="Path or URL prefixes of the pages to read, in place of the folder of `url`. `/guide` covers that "
        "page and every page below it.",
    )
    exclude: tuple[str, ...] = Field(default=(), description="Path or URL prefixes of pages to skip.")
    sitemaps: tuple[str, ...] = Field(
        default=(), description="URLs of more sitemaps, in addition to `/sitemap.xml` and those in robots.txt."
    )
    robots: bool = Field(
        default=True, description="Obey robots.txt and `noindex`. Set `false` only for a site that you own."
    )
    headers: dict[str, SecretStr] = Field(
        default_factory=dict,
        repr=False,
        description='Request headers, sent only to the origin of `url`: `{Authorization = "…"}`.',
    )
    max_pages: int = Field(default=20_000, ge=1, le=1_000_000, description="Most pages fetched in one crawl.")
    max_depth: int = Field(
        default=30, ge=1, le=1_000, description="Most links from the start to a page that is in no sitemap."
    )
    max_total_bytes: int = Field(default=2_000_000_000, ge=10_000, description="Most bytes fetched in one crawl.")
    max_seconds: float = Field(
        default=7_200.0,
        gt=0,
        le=604_800,
        description="Seconds that one crawl may take; pages still queued then are not fetched.",
    )
    retries: int = Field(default=3, ge=0, le=20, description="Most retries of a page after a temporary failure.")
    concurrency: int | None = Field(
        default=None,
        ge=1,
        le=32,
        description="Most requests in flight. If unset, 4, or 8 for a site in a private network.",
    )
    delay_seconds: float = Field(
        default=0.0,
        ge=0,
        le=60,
        description="Seconds between the starts of two requests; a longer delay in robots.txt takes precedence.",
    )

    @field_validator("url")
    @classmethod
    def _require_site_url(cls, url: str | None) -> str | None:
        if url is None:
            return None
        try:
            parts = urlsplit(url)
            parts.port  # noqa: B018 - it raises
        except ValueError:
            raise ValueError("is not a URL") from None
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("is not the URL of a site, such as https://docs.example.org")
        if "@" in parts.netloc:
            raise ValueError("must not contain a user name or a password; set headers = {Authorization = …} instead")
        return url

    @field_validator("name", "current_version", "default_locale")
    @classmethod
    def _require_text(cls, text: str | None) -> str | None:
        if text is not None and not text.strip():
            raise ValueError("is empty; leave it out for the default")
        return text

    @field_validator("headers")
    @classmethod
    def _require_header_names(cls, headers: dict[str, SecretStr]) -> dict[str, SecretStr]:
        for name, value in headers.items():
            if not _HEADER_NAME.fullmatch(name) or name.lower() in _TRANSPORT_HEADERS:
                raise ValueError(f"{name!r} is not a header that can be set")
            text = value.get_secret_value()
            if not text.isascii() or not text.isprintable():
                raise ValueError(f"the value of {name} has characters that are not allowed in a header")
        return headers

    @model_validator(mode="before")
    @classmethod
    def _require_one_place(cls, values: Any) -> Any:  # noqa: ANN401 - pydantic's
        if not isinstance(values, dict):
            return values
        folder, site = values.get("path") is not None, values.get("url") is not None
        if not folder and not site and values.keys() - cls.model_fields.keys():
            return values  # path or url is probably misspelled: pydantic names the unknown setting
        if folder == site:
            raise ValueError("needs either path (a folder) or url (a site)")
        others: tuple[str, ...] = _FOLDER_ONLY
        if folder:
            others = _SITE_ONLY if values.get("convention") == "html" else (*_HTML_ONLY, *_SITE_ONLY)
        misplaced = [name for name in others if name in values and values[name] != _default(cls, name)]
        if misplaced:
            kind = "sites, and this is a folder" if folder else "folders, and this is a site"
            raise ValueError(f"{', '.join(misplaced)}: only for {kind}")
        return values


def _default(table: type[SourceSettings], name: str) -> object:
    """Return a setting's default, which may be set on any kind of source."""
    return table.model_fields[name].get_default(call_default_factory=True, validated_data={})
