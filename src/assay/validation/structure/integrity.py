"""Check of the catalog and the index, with a finding for each kind of fault."""

from collections.abc import Iterator

from assay.errors import StoreUnavailable
from assay.model.evaluation import Finding, Outcome
from assay.ports import Progress
from assay.validation.integrity import KINDS, Audit, audit
from assay.validation.structure.context import CheckContext, StructuralLimits, finding


def integrity(context: CheckContext, _: StructuralLimits, progress: Progress) -> Iterator[Finding]:
    """Audit the generation; one finding for each kind of fault that could be checked."""
    unreachable = isinstance(context.unopened, StoreUnavailable)
    problems = () if context.unopened is None or unreachable else (str(context.unopened),)
    opened = context.generation, context.catalog, context.index
    report = audit(*opened, progress, context.recheck, problems, context.content)
    for kind, promise in KINDS.items():
        fault = report.faults[kind]
        if kind == "index" and unreachable:
            yield Finding(kind, Outcome.INCONCLUSIVE, None, promise, f"{context.unopened} Fix this, and run again.")
            continue
        if kind in report.skipped and not fault.count:
            continue
        share = 1.0 - min(fault.count / max(report.looked_at(kind), 1), 1.0)
        detail = (
            f"{fault.count} faults in {_scope(kind, report)}. In a sound generation {promise}. "
            f"{fault.cause}{' ' if fault.cause else ''}Rebuild the index: `assay publish --rebuild`"
        )
        yield finding(kind, fault.count == 0, share, promise, detail, fault.examples, fault.count)


def _scope(kind: str, report: Audit) -> str:
    chunks = report.looked_at(kind)
    return f"{chunks} chunks" if chunks == report.chunks else f"{chunks} of {report.chunks} chunks"
