"""A folder of built HTML gives the generation that a crawl of the same build gives."""

import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.built_folders import hosted, plant, small_site

from assay.app import Assay
from assay.model.documents import Chunk
from assay.ports import IndexSpec
from assay.settings import load_settings


def _built(data: Path, source: dict[str, Any]) -> tuple[dict[str, Chunk], dict[str, bytes], dict[str, int]]:
    """The chunks of a generation by id, without times; their vectors; and the numbers of its report."""
    with Assay.open(load_settings(None, {"data_dir": data, "sources": [source]})) as assay:
        report = assay.builds.ingest()
        index = assay.parts.store.open(report.generation.id, IndexSpec.of(report.generation))
        try:
            ids = sorted(index.ids())
            chunks = {name: replace(chunk, created_at=None) for name, chunk in index.chunks(ids).items()}
            vectors = {name: vector.tobytes() for name, vector in index.vectors(ids).items()}
        finally:
            index.close()
    return chunks, vectors, {"documents": report.generation.documents, "failed": len(report.failed)}


def _same_from_both(root: Path, url: str, tmp_path: Path) -> dict[str, Chunk]:
    """Read a folder and its crawl, and require the same generation. Returns its chunks."""
    folder = _built(tmp_path / "folder", {"path": root, "base_url": url})
    crawl = _built(tmp_path / "crawl", {"url": url})
    assert folder[2] == crawl[2]
    assert folder[0] == crawl[0]
    assert folder[1] == crawl[1]
    return folder[0]


def test_a_small_site_gives_what_its_crawl_gives(tmp_path: Path) -> None:
    with hosted(tmp_path / "dist") as url:
        plant(tmp_path / "dist", small_site(url.rstrip("/")))
        chunks = _same_from_both(tmp_path / "dist", url, tmp_path)
    assert len({chunk.document.url for chunk in chunks.values()}) == 10


def test_a_small_site_below_a_path_gives_what_its_crawl_gives(tmp_path: Path) -> None:
    files = small_site("http://unused.example.org")
    for path in ("sitemap.xml", "listed.html", "unlisted.html"):
        del files[path]
    moved = {path: body.replace(b'="/', b'="/manual/') for path, body in files.items()}
    with hosted(plant(tmp_path / "dist", moved), "/manual/") as url:
        chunks = _same_from_both(tmp_path / "dist", url, tmp_path)
    assert len({chunk.document.url for chunk in chunks.values()}) >= 8


@pytest.mark.slow
def test_a_real_docusaurus_build_gives_what_its_crawl_gives(shared: Path, tmp_path: Path) -> None:
    with tarfile.open(shared / "sites" / "redux-toolkit-docusaurus-3.10.tar.gz") as archive:
        archive.extractall(tmp_path / "dist", filter="data")
    with hosted(tmp_path / "dist") as url:
        chunks = _same_from_both(tmp_path / "dist", url, tmp_path)
    assert len({chunk.document.url for chunk in chunks.values()}) == 276
