"""Build the findings of checks."""

from collections.abc import Sequence

from assay.model.evaluation import MOST_EXAMPLES, Finding, Outcome


def make_finding(
    check: str,
    outcome: Outcome,
    value: float | None,
    limit: str,
    detail: str,
    examples: Sequence[str] = (),
    count: int | None = None,
) -> Finding:
    """Build a finding; a passed one drops its detail and examples.

    count: number of cases that the examples are from; None if the examples are all.
    """
    if outcome is Outcome.PASS:
        return Finding(check, outcome, value, limit)
    shown = tuple(examples[:MOST_EXAMPLES])
    return Finding(check, outcome, value, limit, detail, shown, len(examples) if count is None else count)
