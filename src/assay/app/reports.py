"""What came of what was done."""

from collections.abc import Mapping
from dataclasses import dataclass

from assay.ingest.pipeline import BuildReport
from assay.model.evaluation import Finding, Outcome, Verdict
from assay.model.generations import Generation
from assay.model.ranking import Mode
from assay.model.validations import Validation
from assay.validation.calibration import Calibration
from assay.validation.integrity import Audit


@dataclass(frozen=True, slots=True)
class Health:
    """Whether the parts that a search needs are there.

    vector_store, catalog: whether each can be reached.
    generation: id of the generation that is served; None when nothing is.
    problems: what is wrong, for the log; not for the public.
    """

    vector_store: bool
    catalog: bool
    generation: str | None
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PublishReport:
    """What a publish did.

    verdict: None when nothing had changed and the live generation stays.
    promoted: the generation that went live; None when none did.
    validation: what the verdict follows from.
    notes: a promotion or rollback by somebody else that it overrode.
    """

    build: BuildReport
    verdict: Verdict | None
    promoted: Generation | None
    validation: Validation | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What an audit found.

    seconds: how long it took.
    vectors: what the vectors show by themselves, as in a validation.
    """

    generation: Generation
    audit: Audit
    seconds: float
    vectors: tuple[Finding, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.audit.count and all(finding.outcome is not Outcome.FAIL for finding in self.vectors)


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """Which similarity parts relevant from irrelevant hits in a generation.

    mode, depth: of the searches whose hits were looked at.
    unjudged: hits that say nothing, for nobody has judged them.
    failed: why topics could not be asked, by id.
    """

    generation: Generation
    mode: Mode
    depth: int
    calibration: Calibration
    unjudged: int
    failed: Mapping[str, str]
