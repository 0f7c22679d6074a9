"""Reports of a publish, an audit and a calibration."""

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
class PublishReport:
    """Result of a publish.

    verdict: None if nothing had changed and the live generation stays.
    promoted: the generation that went live; None if none did.
    validation: the measurements behind the verdict.
    notes: promotions or rollbacks by others that this publish replaced.
    """

    build: BuildReport
    verdict: Verdict | None
    promoted: Generation | None
    validation: Validation | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Result of an audit.

    seconds: duration of the audit.
    vectors: findings about the vectors, as in a validation.
    """

    generation: Generation
    audit: Audit
    seconds: float
    vectors: tuple[Finding, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether all checks passed."""
        return not self.audit.count and all(finding.outcome is not Outcome.FAIL for finding in self.vectors)


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """The similarity that separates relevant from irrelevant hits in a generation.

    mode, depth: of the searches that gave the hits.
    unjudged: number of unjudged hits, which are left out.
    failed: the error of each topic that could not be searched, by id.
    """

    generation: Generation
    mode: Mode
    depth: int
    calibration: Calibration
    unjudged: int
    failed: Mapping[str, str]
