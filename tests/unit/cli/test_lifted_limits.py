"""Flags that lift limits of the gate for one release."""

import pytest

from assay.app import gate_of
from assay.cli.options import gate_overrides
from assay.settings import GateSettings


@pytest.mark.parametrize("removals", [True, False])
@pytest.mark.parametrize("additions", [True, False])
def test_each_flag_lifts_its_own_limits_and_no_other(removals: bool, additions: bool) -> None:
    lifted = gate_overrides(allow_removals=removals, allow_additions=additions)
    gate = gate_of(GateSettings(**lifted.get("gate", {})))
    limits = gate.structure
    assert (limits.max_page_fall, limits.max_anchor_fall) == ((1.0, 1.0) if removals else (0.2, 0.2))
    assert gate.quality.allow_removals is removals
    assert limits.max_page_rise == (None if additions else 3.0)


def test_the_gate_with_removals_is_that_of_the_flag() -> None:
    lifted = gate_overrides(allow_removals=True, allow_additions=False)["gate"]
    assert gate_of(GateSettings()).with_removals == gate_of(GateSettings(**lifted))


def test_no_flag_lifts_nothing() -> None:
    assert gate_overrides(allow_removals=False, allow_additions=False) == {}
