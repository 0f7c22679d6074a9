"""Sabotages of every kind are named by their checks; `python -m benchmarks.sabotages` tries all of them."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing

import pytest
from tests.sabotages.all import SABOTAGES
from tests.sabotages.table import Row, Rows, Sabotage, Scenario
from tests.sabotages.workspace import PAID, STATIC, Judgment, Workshop

from assay.model.evaluation import Finding, Outcome

REPRESENTATIVES = (
    ("a wrong span", STATIC),
    ("all keywords rotated by one", PAID),
    ("pages that are gone", STATIC),
    ("all vectors rotated by one", PAID),
    ("payload without url", STATIC),
    ("login pages at the first build", STATIC),
    ("pages that are not UTF-8", STATIC),
    ("quotes that are gone", PAID),
    ("a PASS by looser limits", STATIC),
)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rows]:
    with closing(Workshop(tmp_path_factory.mktemp("sabotages"))) as workshop:
        yield Rows(workshop)


@pytest.mark.parametrize(("name", "embedder"), REPRESENTATIVES)
def test_a_sabotage_is_named_and_the_same_index_without_it_passes(rows: Rows, name: str, embedder: str) -> None:
    (sabotage,) = [one for one in SABOTAGES if one.name == name]
    row = rows.run(sabotage, embedder, sabotage.shares[0])
    assert row.healthy.outcome == "PASS", row.healthy.named_by
    assert row.caught_by in row.checks, row.judgment.named_by


def test_every_sabotage_has_a_name_of_its_own() -> None:
    names = Counter(one.name for one in SABOTAGES)
    assert names.most_common(1)[0][1] == 1
    assert len(SABOTAGES) >= 45


# --- what counts as caught -----------------------------------------------------------------------------------------

_PASSED = Judgment("PASS")


def _row(judgment: Judgment, healthy: Judgment = _PASSED, says: str = "") -> Row:
    sabotage = Sabotage("s", lambda *_: None, Scenario.STORED, ("spans", "IndexCorrupt"), (1.0,), says=says)
    return Row(sabotage, STATIC, 1.0, sabotage.checks, judgment, healthy)


def _failed(check: str, outcome: Outcome = Outcome.FAIL) -> Judgment:
    return Judgment(outcome.value, (Finding(check, outcome, 0.0, "", "what is wrong"),))


def test_a_sabotage_is_caught_when_one_of_its_checks_fails_it_or_leaves_it_open() -> None:
    assert _row(_failed("spans")).caught_by == "spans"
    assert _row(_failed("spans", Outcome.INCONCLUSIVE)).caught_by == "spans"
    assert _row(Judgment("REFUSED", error=("IndexCorrupt", "it is damaged"))).caught_by == "IndexCorrupt"


def test_a_sabotage_is_not_caught_by_a_pass_another_check_or_a_crash() -> None:
    assert _row(_PASSED).caught_by is None
    assert _row(_failed("titles")).caught_by is None
    assert _row(Judgment("CRASH", error=("IndexCorrupt", ""))).caught_by is None
    assert _row(_failed("spans"), says="another thing").caught_by is None


def test_a_sabotage_is_not_caught_by_a_check_that_fails_the_healthy_index_too() -> None:
    assert _row(_failed("spans"), healthy=_failed("spans")).caught_by is None
