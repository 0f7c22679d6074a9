"""The catalog and the index against themselves and each other: a finding for each kind of fault."""

from collections.abc import Iterator

from assay.errors import StoreUnavailable
from assay.model.evaluation import Finding, Outcome
from assay.ports import Progress
from assay.validation.integrity import KINDS, Audit, audit
from assay.validation.structure.judged import Judged, StructuralLimits, finding


def integrity(judged: Judged, _: StructuralLimits, progress: Progress) -> Iterator[Finding]:
    """Audit the generation; a finding for each kind of fault that could be looked for."""
    unreachable = isinstance(judged.unopened, StoreUnavailable)
    problems = () if judged.unopened is None or unreachable else (str(judged.unopened),)
    report = audit(judged.generation, judged.catalog, judged.index, progress, judged.recheck, problems)
    for kind, promise in KINDS.items():
        fault = report.faults[kind]
        if kind == "index" and unreachable:
            yield Finding(
                kind, Outcome.INCONCLUSIVE, None, promise, f"{judged.unopened} Run it again when that is mended."
            )
            continue
        if kind in report.skipped and not fault.count:
            continue
        share = 1.0 - min(fault.count / max(report.looked_at(kind), 1), 1.0)
        detail = (
            f"{fault.count} faults in {_scope(kind, report)}; {promise} in a sound generation. "
            f"{fault.cause}{' ' if fault.cause else ''}Build it anew: `assay publish --rebuild`"
        )
        yield finding(kind, fault.count == 0, share, promise, detail, fault.examples, fault.count)


def _scope(kind: str, report: Audit) -> str:
    chunks = report.looked_at(kind)
    return f"{chunks} chunks" if chunks == report.chunks else f"{chunks} of {report.chunks} chunks"
