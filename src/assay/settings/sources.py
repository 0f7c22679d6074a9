"""`[[sources]]`: where documents come from."""

import re
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator

from assay.settings.table import Table

_FOLDER_ONLY = ("base_url", "convention")
_SITE_ONLY = (
    "include",
    "exclude",
    "sitemaps",
    "robots",
    "headers",
    "max_pages",
    "max_depth",
    "max_total_bytes",
    "max_seconds",
    "retries",
    "concurrency",
    "delay_seconds",
)
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OURS = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "range"})
"""Headers that belong to the transport, and would break it."""


class SourceSettings(Table):
    """One `[[sources]]` table: a folder (`path`) or a site (`url`).

    `base_url` and `convention` are for folders; from `include` on all are for sites.
    """

    path: Path | None = Field(default=None, description="Folder (or single file) with Markdown or MDX.")
    url: str | None = Field(
        default=None,
        description="Address of a documentation site: its pages under this folder are read, as in "
        "`https://docs.example.org/guide/`.",
    )
    name: str | None = Field(
        default=None,
        description="Short name kept with every document, to search in it alone; the folder's name or the host's if "
        "unset.",
    )
    boost: float = Field(
        default=1.0,
        gt=0,
        le=10,
        description="What the ranking scores of its chunks are multiplied by; similarity is not touched.",
    )
    base_url: str | None = Field(default=None, description="URL under which the folder is served.")
    convention: Literal["docusaurus", "mkdocs", "plain"] | None = Field(
        default=None,
        description="How file paths become URLs; if unset, as the configuration says that claims the folder.",
    )
    current_version: str | None = Field(
        default=None, description="Version that is searched by default; the latest released one if unset."
    )
    default_locale: str | None = Field(
        default=None, description="Locale that is searched by default; the site's own default if unset."
    )
    max_page_bytes: int = Field(default=5_000_000, ge=1_000, description="Larger pages are reported as failed.")
    include: tuple[str, ...] = Field(
        default=(),
        description="Paths or addresses under which pages are read, in place of the folder of `url`; `/guide` is the "
        "page and all under it.",
    )
    exclude: tuple[str, ...] = Field(default=(), description="Paths or addresses under which pages are left out.")
    sitemaps: tuple[str, ...] = Field(
        default=(), description="Addresses of sitemaps besides `/sitemap.xml` and those that robots.txt names."
    )
    robots: bool = Field(default=True, description="Obey robots.txt and `noindex`; `false` is for a site of one's own.")
    headers: dict[str, SecretStr] = Field(
        default_factory=dict,
        repr=False,
        description='Sent with each request to the host of `url` and no other, as in `{Authorization = "…"}`.',
    )
    max_pages: int = Field(default=20_000, ge=1, le=1_000_000, description="The most pages that are fetched.")
    max_depth: int = Field(
        default=30, ge=1, le=1_000, description="The most links from the start to a page that no sitemap names."
    )
    max_total_bytes: int = Field(
        default=2_000_000_000, ge=10_000, description="The most bytes that are fetched in one crawl."
    )
    max_seconds: float = Field(
        default=7_200.0, gt=0, le=604_800, description="How long one crawl may take; the rest is not asked for."
    )
    retries: int = Field(
        default=3, ge=0, le=20, description="How often a page that failed for the moment is asked for again."
    )
    concurrency: int | None = Field(
        default=None, ge=1, le=32, description="Requests at the same time; 4 if unset, 8 on this machine."
    )
    delay_seconds: float = Field(
        default=0.0,
        ge=0,
        le=60,
        description="Pause between the beginnings of two requests; a longer one that robots.txt asks for wins.",
    )

    @field_validator("url")
    @classmethod
    def _require_web_address(cls, url: str | None) -> str | None:
        if url is None:
            return None
        try:
            parts = urlsplit(url)
            parts.port  # noqa: B018 - it raises
        except ValueError:
            raise ValueError("is not an address") from None
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("is no address of a site; it looks like https://docs.example.org")
        if "@" in parts.netloc:
            raise ValueError("holds a user name or a password; set headers = {Authorization = …} instead")
        return url

    @field_validator("headers")
    @classmethod
    def _require_header_names(cls, headers: dict[str, SecretStr]) -> dict[str, SecretStr]:
        for name, value in headers.items():
            if not _HEADER_NAME.fullmatch(name) or name.lower() in _OURS:
                raise ValueError(f"{name!r} is no header that can be sent")
            text = value.get_secret_value()
            if not text.isascii() or not text.isprintable():
                raise ValueError(f"the value of {name} has signs that no header can hold")
        return headers

    @model_validator(mode="before")
    @classmethod
    def _require_one_place(cls, values: Any) -> Any:  # noqa: ANN401 - pydantic's
        if not isinstance(values, dict):
            return values
        folder, site = values.get("path") is not None, values.get("url") is not None
        if not folder and not site and values.keys() - cls.model_fields.keys():
            return values  # a misspelled name is the likelier fault, and is told as such
        if folder == site:
            raise ValueError("needs either path (a folder) or url (a site)")
        others = _SITE_ONLY if folder else _FOLDER_ONLY
        strange = [name for name in others if name in values and values[name] != _default(cls, name)]
        if strange:
            kind = "sites, and this is a folder" if folder else "folders, and this is a site"
            raise ValueError(f"{', '.join(strange)}: only for {kind}")
        return values


def _default(table: type[SourceSettings], name: str) -> object:
    """What a setting is where nobody sets it: saying that once more is no mistake."""
    return table.model_fields[name].get_default(call_default_factory=True, validated_data={})
