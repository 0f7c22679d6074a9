from pathlib import Path

import pytest
from tests.measure_cases import CASES
from tests.measure_mutants import MUTANTS, Mutant, imported

from assay.errors import InputError
from assay.validation import metrics


@pytest.mark.parametrize("name", CASES)
def test_measures(name: str) -> None:
    CASES[name](metrics)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.fault)
def test_a_deliberate_fault_is_noticed(mutant: Mutant, tmp_path: Path) -> None:
    with imported(tmp_path, mutant) as faulty, pytest.raises(AssertionError):
        CASES[mutant.killer](faulty)


def test_a_copy_without_a_fault_passes_every_case(tmp_path: Path) -> None:
    """Otherwise a copy that cannot even be imported would count as a fault that was noticed."""
    with imported(tmp_path) as copy:
        for check in CASES.values():
            check(copy)


def test_every_case_but_those_of_what_is_not_mutated_notices_some_fault() -> None:
    assert {mutant.killer for mutant in MUTANTS} <= CASES.keys()
    assert len({mutant.fault for mutant in MUTANTS}) == len(MUTANTS) >= 20


def test_as_many_labels_as_rankings_have_to_be_given() -> None:
    with pytest.raises(ValueError, match="shorter"):
        metrics.evaluate([metrics.parse_measure("P@5")], [["a"], ["b"]], [{"a": 1}])


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("P@5", "P@5"),
        ("p_5", "P@5"),
        ("P.5", "P@5"),
        ("precision_at_5", "P@5"),
        ("P@05", "P@5"),
        ("MRR", "mrr"),
        ("Rank_of_best", "rank_of_best"),
        ("rr", "RR"),
        ("recip_rank", "RR"),
        ("R@10", "Recall@10"),
        ("recall_10", "Recall@10"),
        ("map", "AP"),
        ("MAP", "AP"),
        ("NDCG@10", "nDCG@10"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("nDCG(dcg='exp-log2')@10", "nDCG_exp@10"),
        ("ndcg_exp_10", "nDCG_exp@10"),
        ("success_1", "Success@1"),
        ("Bpref", "bpref"),
        ("Judged@10", "judged@10"),
        ("ceiling p@5", "ceiling P@5"),
        ("ceiling_p_5", "ceiling P@5"),
        ("  nDCG @ 1000 ", "nDCG@1000"),
    ],
)
def test_a_measure_has_the_spellings_of_the_field(spelling: str, name: str) -> None:
    measure = metrics.parse_measure(spelling)
    assert measure.name == name
    assert metrics.parse_measure(measure.name) == measure


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ndgc@10", "Did you mean nDCG@k?"),
        ("", "The measures are P@k, mrr"),
        ("accuracy", "with k from 1 to 1,000"),
        ("P", "needs a cutoff. Write P@10."),
        ("nDCG", "needs a cutoff. Write nDCG@10."),
        ("map_cut_10", "has no cutoff. Write AP."),
        ("mrr@10", "has no cutoff. Write mrr."),
        ("P@0", "from 1 to 1,000"),
        ("P@1001", "from 1 to 1,000"),
        ("P@-5", "There is no measure 'P@-5'"),
        ("P@five", "There is no measure"),
        ("AP(rel=2)", "There is no measure"),
        ("overlap@3", "compares a paraphrase with its original"),
    ],
)
def test_what_is_no_measure_is_refused_with_what_there_is(name: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        metrics.parse_measure(name)
    assert words in str(caught.value)


def test_every_family_is_found_by_its_own_name_and_no_spelling_means_two() -> None:
    spellings = [
        spelling
        for family in metrics.FAMILIES
        for spelling in {family.name.removesuffix("@k").lower(), *family.aliases}
    ]
    assert len(spellings) == len(set(spellings))
    for family in metrics.FAMILIES:
        measure = metrics.parse_measure(family.name.replace("@k", "@7"))
        assert measure.family is family
        assert measure.k == (7 if family.cutoff else None)


def test_a_rank_has_no_upper_end_and_all_other_measures_lie_in_0_to_1() -> None:
    unbounded = [family.name for family in metrics.FAMILIES if not family.bounded]
    assert unbounded == ["rank_of_best"]
    assert metrics.parse_measure("rank_of_best").bounds is None
    assert metrics.parse_measure("AP").bounds == (0.0, 1.0)
