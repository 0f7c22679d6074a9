"""Folders of documentation, made for one test."""

from collections.abc import Mapping
from pathlib import Path

from assay.adapters.sources.folder.source import FolderSource
from assay.model.documents import PageExcluded, PageFailed, PageRead, RawPage, UnreadFiles

LIMIT = 100_000


def plant(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files, by path relative to a root, with their folders."""
    for path, content in files.items():
        full = root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            full.write_bytes(content)
        else:
            full.write_text(content, encoding="utf-8")
    return root


def folder(root: Path, base_url: str | None = "https://docs.example.org", **options: object) -> FolderSource:
    """A source with a small page limit."""
    settings = {"name": None, "max_page_bytes": LIMIT, **options}
    return FolderSource(root, base_url=base_url, **settings)  # type: ignore[arg-type]  # options of any test


def read(root: Path, base_url: str | None = "https://docs.example.org", **options: object) -> list[PageRead]:
    """Every page that a folder yields, whatever became of it."""
    return [item for item in folder(root, base_url, **options).read({}) if not isinstance(item, UnreadFiles)]


def unread(root: Path, **options: object) -> UnreadFiles:
    """What a folder counts of its files that are no pages."""
    return next(item for item in folder(root, **options).read({}) if isinstance(item, UnreadFiles))


def pages(items: list[PageRead]) -> dict[str, RawPage]:
    """The pages that came in full, by key."""
    return {item.key: item for item in items if isinstance(item, RawPage)}


def paths(items: list[PageRead], base_url: str = "https://docs.example.org") -> dict[str, str]:
    """The URL of each page without the base, by key."""
    return {key: page.url.removeprefix(base_url) for key, page in pages(items).items()}


def reasons(items: list[PageRead]) -> dict[str, str]:
    """Why pages are not there, by key."""
    return {item.key: item.reason for item in items if isinstance(item, PageFailed | PageExcluded)}


def failures(items: list[PageRead]) -> dict[str, str]:
    """Why pages failed, by key."""
    return {item.key: item.reason for item in items if isinstance(item, PageFailed)}
