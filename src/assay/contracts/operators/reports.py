"""`/v1/admin/reports`: the written reports of validations and sweeps."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from assay.contracts.fields import IS_TEXT, AnswerModel, Moment, RequestModel
from assay.model.evaluation import Outcome
from assay.model.validations import ReportFile


class ReportLinkRequest(RequestModel):
    """A report to read."""

    report: Annotated[str, Field(min_length=1, max_length=100), IS_TEXT] = Field(description="Name of the report.")


class ReportSummary(AnswerModel):
    """A report."""

    name: str = Field(description="Its name.")
    kind: Literal["report", "sweep"] = Field(description="`report` of a validation, or `sweep`.")
    at: Moment = Field(description="When the validation began: ISO 8601, UTC.")
    title: str = Field(description="Its verdict, or its conclusion.")
    outcome: Outcome | None = Field(default=None, description="`PASS`, `FAIL` or `INCONCLUSIVE`; null for a sweep.")


class ReportList(AnswerModel):
    """The reports of `[validation] output_dir`."""

    reports: list[ReportSummary] = Field(description="Newest first, at most 200.")


class ReportLink(AnswerModel):
    """A link to a report."""

    path: str = Field(description="Path of the report's page. It needs no key, and works for ten minutes.")


def to_list(reports: Sequence[ReportFile]) -> dict[str, object]:
    """The response body, a ReportList."""
    return ReportList.of(reports=reports).to_dict()
