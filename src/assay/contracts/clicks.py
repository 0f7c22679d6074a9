"""Clicks on results: POST /v1/clicks, and the events of DocSearch boxes.

The answer does not show whether a click was counted, so it reveals no searches.
"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from assay.contracts.fields import IS_TEXT, AnswerModel, RequestModel, check_fields

_MOST_EVENTS = 20
_MOST_OBJECTS = 20

_QueryId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
_ChunkId = Annotated[str, Field(min_length=1, max_length=100), IS_TEXT]


class ClickReport(RequestModel):
    """A result that somebody opened."""

    query_id: _QueryId = Field(description="`query_id` of the answer with the result.")
    chunk_id: _ChunkId = Field(description="`chunk_id` of the result.")


class ClickAnswer(AnswerModel):
    """The answer to a report, whether or not it is counted."""

    accepted: bool = Field(description="Always true.")


class DocSearchEvent(RequestModel):
    """An event of a DocSearch box, with the fields of Algolia's that Assay knows."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", strict=False)

    event_type: Annotated[str, Field(max_length=20), IS_TEXT] = Field(
        description="Only `click` is counted.", examples=["click"]
    )
    query_id: Annotated[str, Field(max_length=100), IS_TEXT] = Field(
        default="", alias="queryID", description="`queryID` of the answer; an event without it is not counted."
    )
    object_ids: Annotated[list[_ChunkId], Field(max_length=_MOST_OBJECTS)] = Field(
        default=[], alias="objectIDs", description="`objectID` of each hit."
    )


class DocSearchEvents(RequestModel):
    """Events of a DocSearch box."""

    model_config = ConfigDict(extra="ignore")

    events: Annotated[list[DocSearchEvent], Field(max_length=_MOST_EVENTS)] = Field(description="In any order.")


def parse(fields: Mapping[str, object]) -> tuple[str, str]:
    """Return the query's id and the chunk's. Raises InputError that names the field, its limit and what was sent."""
    sent = check_fields(ClickReport, fields)
    return sent.query_id, sent.chunk_id


def parse_events(fields: Mapping[str, object]) -> list[tuple[str, str]]:
    """The query's id and the chunk's of each click. Raises InputError, as parse does."""
    events = check_fields(DocSearchEvents, fields).events
    return [
        (event.query_id, chunk_id)
        for event in events
        if event.event_type == "click" and event.query_id
        for chunk_id in event.object_ids
    ]
