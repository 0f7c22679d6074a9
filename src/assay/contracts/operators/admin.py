"""Administration over HTTP: list generations, promote one, roll back.

Each change names a generation, so that a repeated request has no further effect. `candidate` names one as long as no
other was built.
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from assay.contracts.fields import IS_TEXT, AnswerModel, Moment, RequestModel
from assay.model.generations import Generation, State

ID_LIMIT = 100

_Id = Annotated[str, Field(min_length=1, max_length=ID_LIMIT), IS_TEXT]


class PromoteRequest(RequestModel):
    """Make a generation live."""

    generation: _Id = Field(
        description="Id of a candidate, which is checked first, or of an earlier live generation; or `candidate`, the "
        "newest one."
    )


class RollbackRequest(RequestModel):
    """Make the previous live generation live again."""

    leave: _Id = Field(description="Id of the live generation to roll back from.")


class GenerationSummary(AnswerModel):
    """One generation."""

    id: str = Field(description="Sortable by time.")
    state: State = Field(description="State of the generation.")
    documents: int = Field(ge=0, description="Pages in it.")
    chunks: int = Field(ge=0, description="Chunks in it.")
    failed_pages: int = Field(ge=0, description="Pages that could not be read.")
    embedder: str = Field(description="Provider and model that made its vectors.")
    verdict: str | None = Field(default=None, description="`PASS`, `FAIL` or `INCONCLUSIVE`; null before a validation.")
    reason: str | None = Field(default=None, description="Why it is rejected or failed; else null.")
    created_at: Moment = Field(description="When its build began: ISO 8601, UTC.")
    promoted_at: Moment | None = Field(default=None, description="When it last went live; null if never.")


class GenerationList(AnswerModel):
    """All stored generations."""

    live: str | None = Field(description="Id of the live generation; null when there is none.")
    generations: list[GenerationSummary] = Field(description="Newest first.")


class ReleaseAnswer(AnswerModel):
    """The live generation after a request."""

    changed: bool = Field(description="False if the generation was already live.")
    generation: GenerationSummary = Field(description="The live generation.")


def to_summary(generation: Generation) -> GenerationSummary:
    """The summary of a generation."""
    verdict = generation.verdict or {}
    embedder = f"{generation.embedder.provider}/{generation.embedder.model}"
    return GenerationSummary.of(generation, embedder=embedder, verdict=verdict.get("outcome"))


def to_list(generations: Sequence[Generation]) -> dict[str, object]:
    """The response body, a GenerationList."""
    live = next((generation.id for generation in generations if generation.state is State.LIVE), None)
    return GenerationList(live=live, generations=[to_summary(generation) for generation in generations]).to_dict()


def to_release(generation: Generation, *, changed: bool) -> dict[str, object]:
    """The response body, a ReleaseAnswer."""
    return ReleaseAnswer(changed=changed, generation=to_summary(generation)).to_dict()
