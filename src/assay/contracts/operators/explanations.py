"""`POST /v1/admin/explain`: a search with the parts of each score."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from assay.contracts import native, native_entities
from assay.contracts.fields import IS_TEXT, AnswerModel, RequestModel, check_fields
from assay.contracts.native import Defaults, NativeRequest
from assay.contracts.native_entities import SearchQuery, SearchRanking
from assay.model.explanation import Explanation, TermKind
from assay.model.ranking import FusionMethod

GenerationName = Annotated[str, Field(min_length=1, max_length=100), IS_TEXT]


class ExplainRequest(RequestModel):
    """A search to explain."""

    search: SearchQuery = Field(description="The search, as in the body of `POST /v1/search`.")
    generation: GenerationName | None = Field(
        default=None, description="Id of a sealed generation, `live` or `candidate`; by default the served one."
    )


class ExplainedTerm(AnswerModel):
    """A term of the query in one chunk."""

    term: str = Field(description="The word as the query has it, or a name that the query is or may become.")
    kind: TermKind = Field(
        description="`word`: in the text; `title`, `heading`: the title, or a heading, is this name and nothing else."
    )
    query_weight: float = Field(description="1, or less for a name that the query may become.")
    idf: float | None = Field(
        default=None,
        description="How rare the term is within the filters; null if the index does not store term weights.",
    )
    weight: float | None = Field(default=None, description="BM25's weight of the term in the chunk; null as `idf`.")
    score: float = Field(description="`query_weight` x `idf` x `weight`: the term's part of `bm25`.")


class ExplainedHit(AnswerModel):
    """The parts of one result's score."""

    rank: int = Field(description="That of the result.")
    chunk_id: str = Field(description="That of the result.")
    terms: list[ExplainedTerm] = Field(description="The query's terms that the chunk has, the highest score first.")
    bm25: float | None = Field(
        default=None,
        description="Score of keyword search, the sum of its terms; null if the chunk is not among its candidates.",
    )
    keyword_rank: int | None = Field(default=None, description="Rank in keyword search; null as `bm25`.")
    cosine: float | None = Field(
        default=None, description="Cosine of query and chunk; null if the query was not embedded."
    )
    dense_rank: int | None = Field(
        default=None,
        description="Rank in dense search; null if the chunk is not among its candidates: it then counts as the last "
        "of them.",
    )
    dense_part: float = Field(description="What dense search adds to `fused`.")
    keyword_part: float = Field(description="What keyword search adds to `fused`.")
    fused: float = Field(description="`dense_part` + `keyword_part`.")
    boost: float = Field(description="Factor of the result's source, divided by the largest of all sources.")
    score: float = Field(
        description="`fused` x `boost`; a negative `fused` counts as 0. The `rank_score` of a result that was not "
        "reranked."
    )
    rerank_score: float | None = Field(
        default=None, description="The reranker's score, the result's `rank_score`; null if nothing was reranked."
    )


class FusionRules(AnswerModel):
    """Weights and scales of a fusion."""

    method: FusionMethod | None = Field(default=None, description="`score` or `rrf`; null for a search of one side.")
    dense_weight: float = Field(description="Weight of dense search; both weights have the sum 1.")
    keyword_weight: float = Field(description="Weight of keyword search.")
    rrf_k: int = Field(description="The constant of reciprocal rank fusion.")
    candidates: int = Field(description="Candidates of each side that were ranked.")
    best_cosine: float | None = Field(
        default=None, description="The highest cosine, by which `score` scales the others."
    )
    best_bm25: float | None = Field(
        default=None, description="The highest BM25 score, by which `score` scales the others."
    )


class ExplainAnswer(AnswerModel):
    """A ranking with the parts of its scores."""

    ranking: SearchRanking = Field(description="The answer of `POST /v1/search`.")
    fusion: FusionRules = Field(description="How the scores of both sides became one.")
    hits: list[ExplainedHit] = Field(description="The parts of each result's score, in the order of the results.")
    unknown_terms: list[str] = Field(description="Words of the query that no chunk has within the filters.")


@dataclass(frozen=True, slots=True)
class ParsedExplain:
    """A parsed request. generation: None for the served one."""

    request: NativeRequest
    generation: str | None


def parse(fields: Mapping[str, object], defaults: Defaults) -> ParsedExplain:
    """Parse a request body. Raises InputError that names the field, its limit and what was sent."""
    sent = check_fields(ExplainRequest, fields)
    return ParsedExplain(native.to_request(sent.search, defaults), sent.generation)


def to_body(explanation: Explanation, include: native_entities.SearchInclude) -> dict[str, object]:
    """The explanation as JSON values, an ExplainAnswer."""
    return {
        "ranking": native.to_body(explanation.ranking, include),
        "fusion": FusionRules.of(explanation).to_dict(),
        "hits": [
            ExplainedHit.of(each, rank=each.hit.rank, chunk_id=each.hit.chunk.id).to_dict() for each in explanation.hits
        ],
        "unknown_terms": list(explanation.unknown_terms),
    }
