"""How the seeds' shapes choose and order hits."""

import pytest
from tests.rankings import hit_of, ranking_of

from assay.contracts.ordering import Shaping
from assay.model.ranking import ContractMode, Mode

FUSED = [
    hit_of("first", 0.2, 1, rank_score=1.0),
    hit_of("second", 0.8, 2, rank_score=0.7),
    hit_of("third", 0.5, 3, rank_score=0.1),
]


@pytest.mark.parametrize("search_mode", Mode)
def test_the_configured_search_chooses_unless_the_mode_is_dense(search_mode: Mode) -> None:
    assert Shaping.of(ContractMode.HYBRID, search_mode) == Shaping(search_mode, sorts=True)
    assert Shaping.of(ContractMode.FUSED, search_mode) == Shaping(search_mode, sorts=False)
    assert Shaping.of(ContractMode.DENSE, search_mode) == Shaping(Mode.DENSE, sorts=True, reranks=False)


@pytest.mark.contract("000.19", "003.12", "004.37")
@pytest.mark.parametrize(
    ("contract_mode", "order"),
    [
        (ContractMode.HYBRID, ["second", "third", "first"]),
        (ContractMode.DENSE, ["second", "third", "first"]),
        (ContractMode.FUSED, ["first", "second", "third"]),
    ],
)
def test_hits_come_by_similarity_unless_the_mode_is_fused(contract_mode: ContractMode, order: list[str]) -> None:
    ranking = Shaping.of(contract_mode, Mode.HYBRID).reorder(ranking_of(*FUSED, mode=Mode.HYBRID))
    assert [hit.chunk.text for hit in ranking.hits] == order
    assert [hit.rank for hit in ranking.hits] == [1, 2, 3]
    assert {hit.chunk.text: hit.similarity for hit in ranking.hits} == {"first": 0.2, "second": 0.8, "third": 0.5}


@pytest.mark.contract("000.19", "003.12", "004.37")
def test_equal_similarities_come_by_chunk_id() -> None:
    hits = [hit_of(text, 0.0) for text in ("one", "two", "three", "four")]
    reorder = Shaping(Mode.DENSE).reorder
    ids = [hit.chunk.id for hit in reorder(ranking_of(*hits)).hits]
    assert ids == sorted(ids)
    assert reorder(ranking_of(*hits[::-1])) == reorder(ranking_of(*hits))
