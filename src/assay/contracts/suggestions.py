"""`GET /v1/suggest`: titles and headings for a search box, while somebody types."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from assay.contracts.fields import AnswerModel, RequestModel, check_fields
from assay.contracts.native_entities import QueryText
from assay.model.vocabulary import Name

LIMIT, MOST = 10, 50
"""Number of suggestions if none is requested, and the highest."""


class SuggestQuery(RequestModel):
    """The parameters of the URL."""

    q: QueryText = Field(description="The text so far; its last word may be unfinished.", examples=["node comm"])
    limit: Annotated[int, Field(ge=1, le=MOST)] = Field(default=LIMIT, description="The maximum number of suggestions.")


class Suggestion(AnswerModel):
    """A title or heading."""

    text: str = Field(description="The title or heading.")
    url: str = Field(description="URL of the page, with the anchor of the heading if it is known.")
    kind: Literal["title", "heading"] = Field(description="Whether it names a page or a section.")


class Suggestions(AnswerModel):
    """Titles and headings that have every word of the text, the best first."""

    query: str = Field(description="The text as it was sent.")
    suggestions: list[Suggestion] = Field(description="Best first; empty if no name fits.")
    generation: str = Field(description="Id of the generation that answered.")


def parse(parameters: Mapping[str, object]) -> SuggestQuery:
    """Parse the parameters. Raises InputError that names the parameter, its limit and what was sent."""
    return check_fields(SuggestQuery, parameters)


def to_body(text: str, names: Sequence[Name], generation: str) -> dict[str, object]:
    """The names as JSON values, a Suggestions."""
    suggestions = [
        Suggestion(text=name.text, url=name.url, kind="title" if name.is_title else "heading") for name in names
    ]
    return Suggestions(query=text, suggestions=suggestions, generation=generation).to_dict()
