"""Several sources in one index: told apart by name, weighed by their boosts, each with its own addresses."""

from pathlib import Path

import pytest

from assay.app import Assay
from assay.errors import ConfigurationError, PromotionRefused
from assay.model.ranking import Filters, Query
from assay.ports import Silence
from assay.settings import load_settings


@pytest.fixture
def places(tmp_path: Path) -> Path:
    for place in ("docs", "wiki"):
        (tmp_path / place).mkdir()
        for part in ("gripper", "camera"):
            text = f"# The {part}\n\nIn the {place} the {part} is cleaned with a dry cloth.\n"
            (tmp_path / place / f"{part}.md").write_text(text, encoding="utf-8")
    return tmp_path


def _open(places: Path, **boosts: float) -> Assay:
    sources = [
        {"path": places / name, "base_url": f"https://{name}.example", "name": name, "convention": "plain"}
        | ({"boost": boosts[name]} if name in boosts else {})
        for name in ("docs", "wiki")
    ]
    return Assay.open(load_settings(None, {"data_dir": places / "data", "sources": sources}))


def _sources(assay: Assay, **filters: tuple[str, ...]) -> list[str]:
    ranking = assay.search(Query("how is the gripper cleaned", 4, filters=Filters(**filters)))
    return [hit.chunk.document.source for hit in ranking.hits]


def test_a_search_can_be_narrowed_to_a_source_by_its_name(places: Path) -> None:
    with _open(places) as assay:
        assay.publish()
        assert set(_sources(assay)) == {"docs", "wiki"}
        assert set(_sources(assay, sources=("wiki",))) == {"wiki"}


@pytest.mark.parametrize("first", ["docs", "wiki"])
def test_a_boost_decides_between_equals_without_a_new_build(places: Path, first: str) -> None:
    with _open(places) as assay:
        assay.publish()
    with _open(places, **{first: 3.0}) as assay:
        assert _sources(assay)[0] == first


def test_a_pass_under_other_boosts_says_nothing(places: Path) -> None:
    with _open(places) as assay:
        candidate = assay.builds.ingest().generation
        plain = assay.validate(candidate.id).verdict
    with _open(places, wiki=2.0) as assay:
        assert assay.systems.gate.fingerprint != plain.gate
        with pytest.raises(PromotionRefused):
            assay.parts.lifecycle.promote(candidate.id, assay.systems.gate.fingerprint, None)


def test_two_sources_of_one_name_are_refused(places: Path) -> None:
    sources = [{"path": places / place, "name": "docs"} for place in ("docs", "wiki")]
    with (
        Assay.open(load_settings(None, {"data_dir": places / "data", "sources": sources})) as assay,
        pytest.raises(ConfigurationError, match="Two sources are called 'docs'"),
    ):
        assay.builds.ingest()


class _Heard(Silence):
    """Remembers what was to be expected of the stage of reading, and how much came."""

    def __init__(self) -> None:
        self.stage = ""
        self.expected: list[int] = []
        self.read = 0

    def begin(self, stage: str, total: int | None) -> None:
        self.stage = stage

    def expect(self, total: int) -> None:
        self.expected.append(total)

    def advance(self, steps: int = 1) -> None:
        self.read += steps if self.stage == "read" else 0


def test_each_source_adds_its_pages_to_what_is_to_be_read(places: Path) -> None:
    heard = _Heard()
    (places / "wiki" / "camera.md").unlink()
    with _open(places) as assay:
        assay.builds.ingest(progress=heard)
    assert (heard.expected, heard.read) == ([2, 3], 3)
