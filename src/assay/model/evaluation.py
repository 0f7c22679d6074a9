"""Verdicts: what a gate decided, and on what grounds."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

MOST_EXAMPLES = 50
"""How many of what a check found are kept with its finding."""


class Outcome(StrEnum):
    """What may be concluded."""

    PASS = "PASS"  # noqa: S105 - a verdict, not a password
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"


@dataclass(frozen=True, slots=True)
class Finding:
    """One limit of the gate, held against what was measured.

    check: name of the limit.
    outcome: PASS, FAIL, or INCONCLUSIVE where it could not be measured.
    value: what was measured; None where it could not be.
    limit: what was asked for, in words.
    detail: what a person needs to know to act.
    examples: the first of the documents, chunks or pages behind it, at most MOST_EXAMPLES.
    count: how many of them there are.
    """

    check: str
    outcome: Outcome
    value: float | None
    limit: str
    detail: str = ""
    examples: tuple[str, ...] = ()
    count: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate decided about one generation.

    generation: the only generation that this verdict speaks of.
    gate: SHA-256 of the limits that were applied.
    content_fingerprint: of the generation when it was judged.
    """

    outcome: Outcome
    generation: str
    gate: str
    content_fingerprint: str
    at: datetime
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """One line that begins with PASS: or FAIL: (an inconclusive one reads `FAIL: inconclusive: …`)."""
        bad = [finding for finding in self.findings if finding.outcome is not Outcome.PASS]
        if self.outcome is Outcome.PASS:
            return f"PASS: all {len(self.findings)} checks passed."
        reasons = "; ".join(f"{f.check}: {f.detail or f.limit}" for f in bad)
        return f"FAIL: {'inconclusive: ' if self.outcome is Outcome.INCONCLUSIVE else ''}{reasons}"
