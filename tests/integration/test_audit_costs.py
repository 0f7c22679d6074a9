"""What an audit asks of an embedder that is paid: nothing unless told to, and never before the cost was said."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.peers.cohere import cohere_peer
from tests.peers.serving import Peer
from tests.planting import EdgePoints

from assay.app import Assay
from assay.settings import load_settings
from assay.validation.integrity import EmbeddingCost

PAGES = 12


@pytest.fixture
def peer() -> Iterator[Peer]:
    with cohere_peer() as running:
        yield running


@pytest.fixture
def assay(tmp_path: Path, peer: Peer) -> Iterator[Assay]:
    """An index that the provider embedded, which has been forgotten by its ledger."""
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(PAGES):
        (docs / f"part-{number}.md").write_text(f"# Part {number}\n\nPart {number} has its own words.\n", "utf-8")
    settings = {
        "data_dir": tmp_path / "data",
        "sources": [{"path": docs, "base_url": "https://docs.example", "name": "docs"}],
        "embedding": {"provider": "cohere", "cohere_api_key": "peer-key", "base_url": peer.url, "inputs_per_minute": 0},
    }
    with Assay.open(load_settings(None, settings)) as opened:
        assert opened.publish().promoted
        peer.ledger.reset()
        yield opened


def _refuse(cost: EmbeddingCost) -> bool:
    raise AssertionError(f"asked about {cost}")


def test_nothing_is_sent_unless_it_is_asked_for_and_the_report_says_so(assay: Assay, peer: Peer) -> None:
    report = assay.auditor.audit(agree=_refuse)
    assert sum(peer.ledger.embedded.values()) == 0
    assert report.audit.count == 0
    assert report.audit.skipped == {"embeddings": "the embedder was not called"}
    assert report.audit.compared_keywords == PAGES


def test_the_cost_is_said_before_anything_is_sent(assay: Assay, peer: Peer) -> None:
    told: list[EmbeddingCost] = []

    def agree(cost: EmbeddingCost) -> bool:
        assert sum(peer.ledger.embedded.values()) == 0
        told.append(cost)
        return True

    report = assay.auditor.audit(sample=5, agree=agree)
    chunks = list(assay.parts.catalog.chunks(report.generation.id))
    assert [cost.texts for cost in told] == [5]
    assert 5 * min(chunk.token_count for chunk in chunks) <= told[0].tokens <= 5 * max(c.token_count for c in chunks)
    assert told[0].embedder == report.generation.embedder
    assert sum(peer.ledger.embedded.values()) == 5
    assert (report.audit.count, report.audit.compared_vectors) == (0, 5)


def test_to_say_no_leaves_the_vectors_uncompared(assay: Assay, peer: Peer) -> None:
    report = assay.auditor.audit(everything=True, agree=lambda cost: cost.texts != PAGES)
    assert sum(peer.ledger.embedded.values()) == 0
    assert "embeddings" in report.audit.skipped


def test_all_vectors_of_a_provider_are_compared_when_told_so(assay: Assay, peer: Peer) -> None:
    index = EdgePoints(next((assay.settings.data_dir / "generations").iterdir()))
    one, other = list(index.all().values())[:2]
    one.dense, other.dense = other.dense, one.dense
    index.put(one, other)
    report = assay.auditor.audit(everything=True)
    assert report.audit.compared_vectors == PAGES
    assert report.audit.faults["embeddings"].count == 2
    assert all("have each other's vectors" in example for example in report.audit.faults["embeddings"].examples)


def test_another_model_in_the_settings_is_found_without_asking_it(assay: Assay, peer: Peer) -> None:
    settings = assay.settings.model_dump() | {
        "embedding": {
            "provider": "cohere",
            "cohere_api_key": "peer-key",
            "base_url": peer.url,
            "model": "embed-multilingual-v3.0",
        }
    }
    with Assay.open(load_settings(None, settings)) as other:
        report = other.auditor.audit(sample=5, agree=_refuse)
    assert sum(peer.ledger.embedded.values()) == 0
    assert {kind for kind, fault in report.audit.faults.items() if fault.count} == {"identity"}
    assert "embed-multilingual-v3.0" in report.audit.faults["identity"].examples[0]
