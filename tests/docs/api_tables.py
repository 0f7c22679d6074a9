"""The tables of docs/api.md, made from the models and mappings that the routes use."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, TypeAdapter

from assay.contracts import (
    clicks,
    facets,
    native_entities,
    retrieval_service,
    retrieval_testing,
    search_api,
    service_validation,
    suggestions,
)
from assay.contracts.docsearch import requests as docsearch
from assay.contracts.operators import admin, explanations, labelling_entities, query_lists, reports
from assay.web.errors import ADMIN_REFUSALS, INTERNAL

TABLES: dict[str, type[BaseModel]] = {
    "SearchQuery": native_entities.SearchQuery,
    "SearchFilters": native_entities.SearchFilters,
    "SearchInclude": native_entities.SearchInclude,
    "SearchRanking": native_entities.SearchRanking,
    "SearchHit": native_entities.SearchHit,
    "SearchPage": native_entities.SearchPage,
    "SearchCorrection": native_entities.SearchCorrection,
    "Suggestions": suggestions.Suggestions,
    "Suggestion": suggestions.Suggestion,
    "DocSearchQueries": docsearch.DocSearchQueries,
    "DocSearchQuery": docsearch.DocSearchQuery,
    "DocSearchAnswer": docsearch.DocSearchAnswer,
    "DocSearchResult": docsearch.DocSearchResult,
    "DocSearchHit": docsearch.DocSearchHit,
    "MarkedParts": docsearch.MarkedParts,
    "Marked": docsearch.Marked,
    "DocSearchError": docsearch.DocSearchError,
    "Facets": facets.Facets,
    "SourceFacets": facets.SourceFacets,
    "Facet": facets.Facet,
    "StageTimings": native_entities.StageTimings,
    "SearchRequest": search_api.SearchRequest,
    "SearchResponse": search_api.SearchResponse,
    "SearchResult": search_api.SearchResult,
    "HealthResponse": search_api.HealthResponse,
    "QueryRequest": retrieval_testing.QueryRequest,
    "QueryResponse": retrieval_testing.QueryResponse,
    "RetrievedChunk": retrieval_testing.RetrievedChunk,
    "ChunkDetails": retrieval_testing.ChunkDetails,
    "QueryMetadata": retrieval_testing.QueryMetadata,
    "LifecycleStep": retrieval_testing.LifecycleStep,
    "ServiceQuery": retrieval_service.ServiceQuery,
    "ServiceResponse": retrieval_service.ServiceResponse,
    "ServiceChunk": retrieval_service.ServiceChunk,
    "MetadataPackage": retrieval_service.MetadataPackage,
    "SimilarityScore": retrieval_service.SimilarityScore,
    "SearchParams": retrieval_service.SearchParams,
    "ServiceHealth": retrieval_service.ServiceHealth,
    "ValidationRequest": service_validation.ValidationRequest,
    "ValidationTest": service_validation.ValidationTest,
    "SuccessCriteria": service_validation.SuccessCriteria,
    "ValidationAnswer": service_validation.ValidationAnswer,
    "ExecutedTest": service_validation.ExecutedTest,
    "FoundResult": service_validation.FoundResult,
    "PromoteRequest": admin.PromoteRequest,
    "RollbackRequest": admin.RollbackRequest,
    "GenerationSummary": admin.GenerationSummary,
    "GenerationList": admin.GenerationList,
    "ReleaseAnswer": admin.ReleaseAnswer,
    "ExplainRequest": explanations.ExplainRequest,
    "ExplainAnswer": explanations.ExplainAnswer,
    "ExplainedHit": explanations.ExplainedHit,
    "ExplainedTerm": explanations.ExplainedTerm,
    "FusionRules": explanations.FusionRules,
    "LabelTestSets": labelling_entities.LabelTestSets,
    "LabelTestSet": labelling_entities.LabelTestSet,
    "JudgeAgreement": labelling_entities.JudgeAgreement,
    "DifferingLabel": labelling_entities.DifferingLabel,
    "LabelQueueQuery": labelling_entities.LabelQueueQuery,
    "QueuedSystem": labelling_entities.QueuedSystem,
    "LabelQueueAnswer": labelling_entities.LabelQueueAnswer,
    "LabelItem": labelling_entities.LabelItem,
    "JudgedPassage": labelling_entities.JudgedPassage,
    "GivenLabel": labelling_entities.GivenLabel,
    "LabellingProgress": labelling_entities.LabellingProgress,
    "GateCheck": labelling_entities.GateCheck,
    "FailedTopic": labelling_entities.FailedTopic,
    "LabelRequest": labelling_entities.LabelRequest,
    "LabelAnswer": labelling_entities.LabelAnswer,
    "EffectOfLabel": labelling_entities.EffectOfLabel,
    "TopicChange": labelling_entities.TopicChange,
    "SkipRequest": labelling_entities.SkipRequest,
    "UndoRequest": labelling_entities.UndoRequest,
    "UndoAnswer": labelling_entities.UndoAnswer,
    "LabelPageQuery": labelling_entities.LabelPageQuery,
    "LabelPage": labelling_entities.LabelPage,
    "SelectionQuery": labelling_entities.SelectionQuery,
    "SelectedPassage": labelling_entities.SelectedPassage,
    "ClickReport": clicks.ClickReport,
    "ClickAnswer": clicks.ClickAnswer,
    "DocSearchEvents": clicks.DocSearchEvents,
    "DocSearchEvent": clicks.DocSearchEvent,
    "QueryList": query_lists.QueryList,
    "SearchFigures": query_lists.SearchFigures,
    "QueryFigures": query_lists.QueryFigures,
    "TopicsRequest": query_lists.TopicsRequest,
    "TopicsAnswer": query_lists.TopicsAnswer,
    "ReportList": reports.ReportList,
    "ReportSummary": reports.ReportSummary,
    "ReportLinkRequest": reports.ReportLinkRequest,
    "ReportLink": reports.ReportLink,
    "ErrorResponse": search_api.ErrorResponse,
}

EDGE_ERRORS = {
    (401, "unauthorized"),
    (403, "forbidden"),
    (404, "not_found"),
    (405, "method_not_allowed"),
    (408, "request_timeout"),
    (413, "payload_too_large"),
    (429, "rate_limited"),
    (431, "validation_error"),
}
"""What is refused before a route is asked."""


def error_pairs() -> set[tuple[int, str]]:
    """Every status with its error word that a client can be given."""
    mapped = {(refusal.status, refusal.error) for _, refusal in ADMIN_REFUSALS}
    return mapped | EDGE_ERRORS | {(INTERNAL.status, INTERNAL.error)}


def field_table(model: type, *, request: bool) -> str:
    """One row for each field: name, what it may be, default (requests only), meaning."""
    schema = TypeAdapter(model).json_schema()
    required = set(schema.get("required", ()))
    lines = ["| field | value | default | meaning |", "|---|---|---|---|"] if request else _ANSWER_HEAD.copy()
    for name, field in schema["properties"].items():
        cells = [f"`{name}`", _value(field, schema)]
        if request:
            cells.append("required" if name in required else _default(field))
        cells.append(str(field.get("description", "")).replace("|", "\\|"))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


_ANSWER_HEAD = ["| field | value | meaning |", "|---|---|---|"]


def _default(field: Mapping[str, Any]) -> str:
    value = field.get("default")
    if value is None:
        return "–"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return "–" if value in ({}, []) or isinstance(value, dict) else f"`{value}`"


def _value(field: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    """What a field may be, in the words of the page."""
    options = field.get("anyOf")
    if options:
        return " or ".join(_value(option, root) for option in options)
    if "$ref" in field:
        field = root["$defs"][str(field["$ref"]).rpartition("/")[2]]
    words = [field["const"]] if "const" in field else field.get("enum")
    if words:
        return ", ".join(f"`{value}`" for value in words)
    kind = str(field["type"])
    if kind == "array":
        most = f"at most {field['maxItems']} " if "maxItems" in field else ""
        if "maxItems" in field and field.get("minItems") == field["maxItems"]:
            most = f"{field['maxItems']} "
        return f"list of {most}{_plural(_value(field['items'], root))}" if "items" in field else "pair of integers"
    if "maxLength" in field:
        return f"{kind}, {field.get('minLength', 0):,} to {field['maxLength']:,} characters"
    if "maximum" in field:
        return f"{kind}, {field['minimum']} to {field['maximum']}"
    return f"{kind}, {field['minimum']} or more" if "minimum" in field else kind


def _plural(value: str) -> str:
    if value.startswith("list "):
        return value.replace("list", "lists", 1)
    first, comma, rest = value.partition(",")
    return f"{first.replace('pair', 'pairs') if first.startswith('pair') else f'{first}s'}{comma}{rest}"
