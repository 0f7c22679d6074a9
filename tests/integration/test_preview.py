"""A dry run: what a build would do is said beforehand, and is what it then does."""

from pathlib import Path

import pytest
from tests.integration.cli.commands import runner

from assay.app import Assay
from assay.settings import load_settings

PARTS = ("gripper", "camera", "battery", "wheel")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for part in PARTS:
        _write(folder, part, f"The {part} is checked every week.")
    return folder


def _write(folder: Path, part: str, body: str) -> None:
    (folder / f"{part}.md").write_text(f"# About the {part}\n\n{body}\n", encoding="utf-8")


def _open(docs: Path, **overrides: object) -> Assay:
    source = {"path": docs, "base_url": "https://docs.example", "name": "docs", "convention": "plain"}
    return Assay.open(load_settings(None, {"data_dir": docs.parent / "data", "sources": [source], **overrides}))


def test_a_first_dry_run_finds_every_page_new_and_leaves_nothing_behind(docs: Path) -> None:
    with _open(docs) as assay:
        found = assay.builds.preview()
    assert (found.base, len(found.added), found.documents, found.chunks, found.embedded) == (None, 4, 4, 4, 4)
    assert found.tokens > 0
    assert found.differs
    assert not (docs.parent / "data").exists()


def test_what_a_dry_run_says_is_what_the_build_does(docs: Path) -> None:
    with _open(docs) as assay:
        assay.publish()
        _write(docs, "camera", "The camera is checked every day now.")
        _write(docs, "lamp", "The lamp is never checked.")
        (docs / "wheel.md").unlink()
        found = assay.builds.preview()
        before = assay.generations()
        build = assay.builds.ingest()
    assert (found.added, found.changed, found.removed) == (build.added, build.changed, build.removed)
    assert (found.added, found.changed) == (("lamp.md",), ("camera.md",))
    assert found.removed == ("https://docs.example/wheel",)
    assert (found.kept, found.embedded, found.chunks) == (build.kept, build.embedded, build.generation.chunks)
    assert (found.embedded, found.documents) == (2, build.generation.documents)
    assert [generation.id for generation in before] == [build.generation.parent]


def test_a_dry_run_without_changes_says_that_nothing_differs(docs: Path) -> None:
    with _open(docs) as assay:
        assay.publish()
        found = assay.builds.preview()
    assert not found.differs
    assert (found.kept, found.chunks, found.embedded, found.tokens) == (4, 4, 0, 0)


def test_a_dry_run_of_a_rebuild_reuses_nothing(docs: Path) -> None:
    with _open(docs) as assay:
        assay.publish()
        assert assay.builds.preview(rebuild=True).embedded == 4


def test_under_another_embedder_everything_would_be_embedded(docs: Path) -> None:
    with _open(docs) as assay:
        assay.publish()
    peer = {"provider": "openai", "model": "m", "dimensions": 64, "base_url": "http://127.0.0.1:9"}
    with _open(docs, embedding=peer) as assay:  # nobody answers there, and nobody is asked
        found = assay.builds.preview()
    assert found.embedded == 4


def test_a_page_that_fails_is_named_with_its_reason(docs: Path) -> None:
    (docs / "lamp.md").write_bytes(b"\xff\xfe\x00bad")
    with _open(docs) as assay:
        found = assay.builds.preview()
    assert [page.key for page in found.failed] == ["lamp.md"]
    assert found.failed[0].reason


def test_the_command_says_it_as_text_and_as_json(
    docs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = runner(monkeypatch, capsys, docs.parent)
    said = run("ingest", str(docs), "--dry-run")
    assert said.code == 0
    assert "Nothing was built" in said.out
    assert "New: camera.md" in said.out
    assert "4 texts would be embedded" in said.out
    body = run("ingest", str(docs), "--dry-run", "--json").body
    assert (body["dry_run"], body["against"], body["added_pages"][0]) == (True, None, "battery.md")
    assert not (docs.parent / ".assay").exists()
