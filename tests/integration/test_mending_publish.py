"""Documents whose rows were changed in the catalog do not get into the next index: their pages are read again."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from assay.app import Assay
from assay.model.documents import Chunk
from assay.settings import load_settings

DAMAGES = {
    "anchor": "UPDATE chunks SET anchor = NULL WHERE {chunk}",
    "another-anchor": "UPDATE chunks SET anchor = 'elsewhere' WHERE {chunk}",
    "section": "UPDATE chunks SET section = 'Other' WHERE {chunk}",
    "heading-path": "UPDATE chunks SET heading_path = '[\"Other\"]' WHERE {chunk}",
    "headings-no-json": "UPDATE chunks SET heading_path = '{{' WHERE {chunk}",
    "text": "UPDATE chunks SET text = text || '.' WHERE {chunk}",
    "span": "UPDATE chunks SET span_start = span_start + 1 WHERE {chunk}",
    "neighbour": "UPDATE chunks SET previous_id = NULL, next_id = NULL WHERE {chunk}",
    "embedded-hash": "UPDATE chunks SET embedded_hash = '{zeros}' WHERE {chunk}",
    "time": "UPDATE chunks SET created_at = 'yesterday' WHERE {chunk}",
    "missing": "DELETE FROM chunks WHERE {chunk}",
    "title": "UPDATE document_revisions SET title = 'Other' WHERE {page}",
    "slug": "UPDATE document_revisions SET slug = 'other' WHERE {page}",
    "address": "UPDATE document_revisions SET url = url || 'x' WHERE {page}",
    "tags": "UPDATE document_revisions SET more = json_set(more, '$.tags', json('[\"other\"]')) WHERE {page}",
    "version": "UPDATE document_revisions SET more = json_set(more, '$.version', '9') WHERE {page}",
    "document": "UPDATE document_revisions SET text = substr(text, 9) WHERE {page}",
}


def _write(docs: Path, name: str, told: str) -> None:
    parts = {"# About": "This page is about it.", "## Care of": told, "## End of": "There is no more of it."}
    text = "".join(f"{heading} {name}\n\n{f'{said} The word is {name}. ' * 5}\n\n" for heading, said in parts.items())
    (docs / f"{name}.md").write_text(text, encoding="utf-8")


def _chunks(assay: Assay) -> dict[str, Chunk]:
    """What the live index says of every chunk."""
    live = assay.parts.catalog.live_id()
    assert live
    ids = [chunk.id for chunk in assay.parts.catalog.chunks(live)]
    assay.searches.live.refresh()
    with assay.searches.live.lease() as searcher:
        return {point_id: point.chunk for point_id, point in searcher.index.stored(ids).items() if point.chunk}


def _damage(data: Path) -> None:
    """One kind for each page that has its name."""
    with sqlite3.connect(data / "catalog.sqlite") as connection:
        for name, statement in DAMAGES.items():
            page = f"key = '{name}.md'"
            chunk = f"position = 1 AND revision_id = (SELECT id FROM document_revisions WHERE {page})"
            changed = connection.execute(statement.format(page=page, chunk=chunk, zeros="0" * 64))
            assert changed.rowcount == 1, name


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in (*DAMAGES, "changed", "kept"):
        _write(docs, name, f"Look at the {name} every {len(name)} days.")
    return docs


def _open(docs: Path) -> Assay:
    source = {"path": docs, "base_url": "https://docs.example", "name": "docs", "convention": "plain"}
    settings = {"data_dir": docs.parent / "data", "sources": [source], "chunking": {"max_characters": 200}}
    return Assay.open(load_settings(None, settings))


def test_a_publish_mends_every_kind_of_damage_and_its_hits_lose_nothing(
    docs: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with _open(docs) as assay:
        assert assay.publish().promoted
        before = _chunks(assay)
    assert all(chunk.anchor for chunk in before.values() if chunk.position)
    _damage(docs.parent / "data")
    _write(docs, "changed", "Look at it never.")
    with _open(docs) as assay:
        report = assay.publish()
        assert report.promoted
        after = _chunks(assay)
        assert not [kind for kind, fault in assay.auditor.audit().audit.faults.items() if fault.count]
    assert f"{len(DAMAGES)} stored documents were changed or damaged in the catalog" in caplog.text
    # The page with another address in its row counts as moved.
    found = report.build
    assert (found.kept, len(found.changed), len(found.moved)) == (1, len(DAMAGES), 1)
    assert report.build.embedded <= 3
    for identity, chunk in before.items():
        slug = chunk.document.slug
        if slug in {"time", "missing"}:  # what the row alone knew is lost
            assert replace(after[identity], created_at=None) == replace(chunk, created_at=None)
        elif slug != "changed":
            assert after[identity] == chunk


def test_a_publish_of_sound_documents_reads_no_page_twice(docs: Path, caplog: pytest.LogCaptureFixture) -> None:
    with _open(docs) as assay:
        assay.publish()
        _write(docs, "changed", "Look at it never.")
        assert assay.publish().build.kept == len(DAMAGES) + 1
    assert "damaged" not in caplog.text
