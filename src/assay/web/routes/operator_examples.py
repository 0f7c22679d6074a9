"""The OpenAPI examples of the routes for explanations, labels and reports."""

from datetime import UTC, datetime
from pathlib import Path

from assay.contracts import native, native_entities
from assay.contracts.operators import explanations, labelling, query_lists, reports
from assay.contracts.operators.labelling_entities import LabelPage
from assay.model.evaluation import Finding, Outcome, Passage, Quote, Span, TestSet, Topic
from assay.model.explanation import Explanation, HitExplanation, TermKind, TermScore
from assay.model.ids import content_hash
from assay.model.labelling import (
    LabelEffect,
    LabelEntry,
    LabelledTestSet,
    LabelOutcome,
    LabelProgress,
    LabelQueue,
    Standing,
    ToLabel,
    TopicEffect,
)
from assay.model.queries import AddedTopics, QueryCount, QueryKind, QueryReport, QueryTotals
from assay.model.ranking import FusionMethod
from assay.model.validations import ReportFile
from assay.web.routes.examples import CHUNK, QUESTION, RANKING

_TERMS = (
    TermScore("communicate", TermKind.WORD, 1.0, 4.25, 1.2, 5.1),
    TermScore("nodes", TermKind.WORD, 1.0, 2.5, 1.28, 3.2),
)
_EXPLAINED_HIT = HitExplanation(RANKING.hits[0], _TERMS, 8.3, 1, 0.87, 1, 0.25, 0.75, 1.0, 1.0, 1.0)
_EXPLAINED = Explanation(RANKING, (_EXPLAINED_HIT,), FusionMethod.SCORE, 0.25, 0.75, 60, 200, 0.87, 8.3, ())
_SHORT = native_entities.SearchInclude(content=False, metadata=False)
EXPLAIN = {"search": {"query": QUESTION, "top_k": 3, "mode": "hybrid"}, "generation": "candidate"}
EXPLANATION = explanations.to_body(_EXPLAINED, _SHORT) | {
    "ranking": native.to_results(RANKING, _SHORT) | native.to_timings(RANKING.timings, 0.07)
}

_AT = datetime(2026, 3, 2, 10, 0, 0, tzinfo=UTC)
_PAGE_TEXT = f"# Nodes and topics\n\n{CHUNK.text}\n"
_START = _PAGE_TEXT.index(CHUNK.text)
_PASSAGE = Passage(
    url=CHUNK.document.url,
    quote=Quote(CHUNK.text, "# Nodes and topics\n\n", "\n"),
    position=Span(_START, _START + len(CHUNK.text)),
    text_hash=content_hash(_PAGE_TEXT),
)
_TOPIC = Topic("nodes-talk", QUESTION)
_TEST_SET = TestSet("handbook", (_TOPIC,), "")
_ENTRY = LabelEntry("4c5b1f0e9a", _AT, "ada", _TOPIC.id, CHUNK.content_hash, _PASSAGE, 2)
_SKIP = LabelEntry("4c5b1f0e9b", _AT, "ada", _TOPIC.id, CHUNK.content_hash, None, None)
_CHECK = Finding("MRR", Outcome.INCONCLUSIVE, 0.5, "the best hit's 1 / rank is at least 0.7 on average", "MRR is 0.500")
_PROGRESS = LabelProgress(reached=9, missed=1, open=2, left=11, checks=(_CHECK,))
_TOPIC_EFFECT = TopicEffect(_TOPIC.id, Standing.OPEN, Standing.REACHED, 0.6, 0.8)
_EFFECT = LabelEffect((_TOPIC_EFFECT,), _PROGRESS)
_ITEM = ToLabel(_TOPIC, CHUNK, "1 more relevant would bring the topic to P@5 0.8", _PASSAGE)
_QUEUE_ID = f"5~{RANKING.generation}~hybrid"
_NAMED = {"test_set": _TEST_SET.name, "judge": "ada"}

LABEL_TEST_SETS = labelling.to_test_sets([LabelledTestSet(Path("handbook.testset.yaml"), _TEST_SET, "", ("ada",), ())])
LABEL_QUEUE_WANTED = {**_NAMED, "systems": [{"generation": "candidate"}, {"generation": "live"}]}
LABEL_QUEUE = labelling.to_queue(
    LabelQueue(_QUEUE_ID, _TEST_SET.name, (RANKING.generation,), (_ITEM,), 1, _ENTRY, _PROGRESS, (), ())
)
LABEL = {
    **_NAMED,
    "topic_id": _TOPIC.id,
    "judgment": labelling.to_judgment(_PASSAGE).model_dump(exclude_unset=True),
    "label": 2,
    "content_hash": CHUNK.content_hash,
    "queue": _QUEUE_ID,
}
LABELLED = labelling.to_label(LabelOutcome(_ENTRY, 2, saved=True, effect=_EFFECT))
SKIP = {**_NAMED, "topic_id": _TOPIC.id, "content_hash": CHUNK.content_hash}
SKIPPED = labelling.to_skip(_SKIP)
UNDO = {**_NAMED, "entry": _ENTRY.id, "queue": _QUEUE_ID}
UNDONE = labelling.to_undo(_ENTRY, _EFFECT)
LABEL_PAGE_WANTED = {"generation": RANKING.generation, "url": CHUNK.document.url}
LABEL_PAGE = LabelPage(url=CHUNK.document.url, text=_PAGE_TEXT).to_dict()
SELECTION = {**LABEL_PAGE_WANTED, "start": _START, "end": _START + len(CHUNK.text)}
SELECTED = labelling.to_selection(_PASSAGE, [CHUNK.id])

TOPICS_WANTED: dict[str, object] = {"queries": [QUESTION]}
TOPICS_ADDED = query_lists.to_topics(AddedTopics((("how-do-nodes-communicate", QUESTION),), 0))
QUERY_LIST = query_lists.to_list(
    QueryReport(
        QueryKind.TOP,
        None,
        QueryTotals(1_204, 311, 37, 980, 612, 1.8),
        (QueryCount(QUESTION, 41, 0, 38, 29, 1.2, datetime(2026, 3, 2, 8, 15, tzinfo=UTC)),),
    ),
    logged=True,
)

_REPORT = "report_20260302_081500"
REPORTS = reports.to_list(
    [ReportFile(_REPORT, "report", datetime(2026, 3, 2, 8, 15, tzinfo=UTC), "PASS: All 14 checks passed", Outcome.PASS)]
)
REPORT_WANTED = {"report": _REPORT}
REPORT_LINK = reports.ReportLink(path="/reports/Yq3vW8rT1nGx0cKbLz5aPu2hJd7sMfEo").to_dict()
