"""The requests and answers of `/v1/admin/labels`."""

from typing import Annotated

from pydantic import Field

from assay.contracts.fields import IS_TEXT, NOT_BLANK, AnswerModel, Moment, RequestModel
from assay.contracts.operators.explanations import GenerationName
from assay.model.evaluation import Outcome
from assay.model.labelling import Standing
from assay.model.ranking import Mode

_LENGTH = 1_000
_QUOTE = 20_000
_SYSTEMS = 2
_TOPICS = 100

_Name = Annotated[str, Field(min_length=1, max_length=_LENGTH), IS_TEXT, NOT_BLANK]
_Judge = Annotated[str, Field(max_length=100), IS_TEXT]
_Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_Words = Annotated[str, Field(min_length=1, max_length=_QUOTE), IS_TEXT, NOT_BLANK]
_Side = Annotated[str, Field(max_length=_QUOTE), IS_TEXT]
_Url = Annotated[str, Field(min_length=1, max_length=_LENGTH), IS_TEXT]
_Place = Annotated[int, Field(ge=0, le=1_000_000_000)]
_Label = Annotated[int, Field(ge=0, le=2)]
_Id = Annotated[str, Field(min_length=1, max_length=100), IS_TEXT]

_QueueId = Annotated[str, Field(min_length=1, max_length=500), IS_TEXT]

_TEST_SET = "Name of the test set, as `GET /v1/admin/labels` lists it."
_JUDGE = "Name of the person who labels; empty if nobody else does."
_QUEUE = "`queue` of the hits, for the effect of the label; null for none."
_TOPIC = "Id of the topic."


class QueuedSystem(RequestModel):
    """A system whose hits are labelled."""

    generation: GenerationName | None = Field(
        default=None,
        description="Id of a generation, `live` or `candidate`; by default the candidate, else the live one.",
    )
    mode: Mode | None = Field(
        default=None, strict=False, description="`hybrid`, `dense` or `sparse`; by default `[search] mode`."
    )


class LabelQueueQuery(RequestModel):
    """Which hits to label."""

    test_set: _Name = Field(description=_TEST_SET)
    judge: _Judge = Field(default="", description=_JUDGE)
    systems: Annotated[list[QueuedSystem], Field(min_length=1, max_length=_SYSTEMS)] = Field(
        default=[QueuedSystem()], description="One system, or two that are compared: the hits of both are mixed."
    )
    depth: Annotated[int, Field(ge=1, le=100)] = Field(default=5, description="Hits of each topic.")
    topics: Annotated[list[_Name], Field(max_length=_TOPICS)] = Field(
        default=[], description="Only these topics, by their ids."
    )
    skipped: bool = Field(default=False, description="Include hits that were skipped before.")
    second_opinion: bool = Field(
        default=False,
        description="The hits that another judge has labelled and this one has not, instead of unjudged ones.",
    )
    limit: Annotated[int, Field(ge=1, le=200)] = Field(default=50, description="The maximum number of hits to send.")


class JudgedPassage(RequestModel):
    """The passage of a judgment, as a test set writes it."""

    url: _Url | None = Field(default=None, description="URL of the page.")
    quote: _Words | None = Field(default=None, description="Words of the page's text.")
    prefix: _Side = Field(default="", description="The text before them.")
    suffix: _Side = Field(default="", description="The text after them.")
    position: Annotated[list[_Place], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="Their start and end in the text with `text_hash`, in code points."
    )
    text_hash: _Hash | None = Field(default=None, description="SHA-256 of the page's text, in hex.")
    content_hash: _Hash | None = Field(
        default=None, description="SHA-256 of a chunk's text, for a collection without pages."
    )


class LabelRequest(RequestModel):
    """A label for a passage."""

    test_set: _Name = Field(description=_TEST_SET)
    judge: _Judge = Field(default="", description=_JUDGE)
    topic_id: _Name = Field(description=_TOPIC)
    judgment: JudgedPassage = Field(description="The passage: `judgment` of a hit, or of a selection.")
    label: _Label = Field(description="0: it does not answer the query; 1: it helps; 2: it answers it.")
    content_hash: _Hash | None = Field(
        default=None, description="That of the hit; null for a passage that was selected on a page."
    )
    queue: _QueueId | None = Field(default=None, description=_QUEUE)


class SkipRequest(RequestModel):
    """Skip a hit."""

    test_set: _Name = Field(description=_TEST_SET)
    judge: _Judge = Field(default="", description=_JUDGE)
    topic_id: _Name = Field(description=_TOPIC)
    content_hash: _Hash = Field(description="That of the hit.")


class UndoRequest(RequestModel):
    """Undo a label or a skip."""

    test_set: _Name = Field(description=_TEST_SET)
    judge: _Judge = Field(default="", description=_JUDGE)
    entry: _Id = Field(description="Id of the label or skip.")
    queue: _QueueId | None = Field(default=None, description=_QUEUE)


class LabelPageQuery(RequestModel):
    """A page to select a passage on."""

    generation: GenerationName = Field(description="Id of the generation.")
    url: _Url = Field(description="URL of the page.")


class SelectionQuery(LabelPageQuery):
    """A selection on a page."""

    start: _Place = Field(description="Start of the selection in the page's text, in code points.")
    end: _Place = Field(description="Its end, exclusive.")


class DifferingLabel(AnswerModel):
    """A passage with different labels."""

    topic_id: str = Field(description=_TOPIC)
    url: str = Field(description="URL of the page; empty for a collection without pages.")
    quote: str = Field(description="Words of the passage.")
    labels: list[int] = Field(description="The labels, in the order of `judges`.")


class JudgeAgreement(AnswerModel):
    """Two judges on the passages that both labelled."""

    judges: list[str] = Field(description="Their names.")
    both: int = Field(description="Passages that both labelled.")
    equal: int = Field(description="Passages with equal labels.")
    kappa: float | None = Field(
        default=None,
        description="Cohen's kappa: 1 for equal labels, 0 for chance; null if both gave one and the same label to all.",
    )
    weighted_kappa: float | None = Field(
        default=None, description="The same, by which 0 and 2 differ twice as much as 1 and 2."
    )
    differing: list[DifferingLabel] = Field(description="Passages with different labels.")


class LabelTestSet(AnswerModel):
    """A test set that can be labelled."""

    name: str = Field(description="Its name.")
    topics: int = Field(description="Number of topics.")
    judgments: int = Field(description="Number of judgments.")
    problem: str | None = Field(default=None, description="Why it cannot be read; else null.")
    judges: list[str] = Field(description="Names of those who have labelled.")
    agreements: list[JudgeAgreement] = Field(description="Of each two judges with a passage in common.")


class LabelTestSets(AnswerModel):
    """The test sets that can be labelled."""

    test_sets: list[LabelTestSet] = Field(
        description="That of `[validation] testset`, else that of the last verdict; empty without any."
    )


class LabelItem(AnswerModel):
    """A hit to label, without its rank and score."""

    topic_id: str = Field(description="Id of the topic to label it for.")
    query: str = Field(description="Text of the topic.")
    expects_answer: bool = Field(
        description="False for a topic with `expect: no_answer`, which takes only the label 0."
    )
    chunk_id: str = Field(description="Id of the chunk.")
    content_hash: str = Field(description="SHA-256 of its text, in hex.")
    url: str = Field(description="URL of the page.")
    section_url: str = Field(description="Deep link to the section in which the passage begins.")
    title: str = Field(description="Title of the page; may be empty.")
    heading_path: list[str] = Field(description="Headings from the outermost to the section's.")
    text: str = Field(description="The passage.")
    highlights: list[tuple[int, int]] = Field(
        description="Positions of the query's words in `text`: start and exclusive end, in code points."
    )
    why: str = Field(description="The effect of its label, in a few words.")
    judgment: JudgedPassage = Field(description="The judgment that a label makes, without the label.")


class GivenLabel(AnswerModel):
    """A label or a skip of this judge."""

    entry: str = Field(description="Its id, to undo it.")
    at: Moment = Field(description="When it was given: ISO 8601, UTC.")
    topic_id: str = Field(description=_TOPIC)
    content_hash: str | None = Field(default=None, description="That of the hit; null for a selected passage.")
    label: int | None = Field(default=None, description="The label; null for a skip.")


class GateCheck(AnswerModel):
    """A check of the gate with the present labels."""

    check: str = Field(description="Name of the check.")
    outcome: Outcome = Field(description="`PASS`, `FAIL`, or `INCONCLUSIVE` if undecided.")
    value: float | None = Field(default=None, description="The measured value; null if there is none.")
    limit: str = Field(description="The limit in words.")
    detail: str = Field(description="The problem and its remedy; empty after a PASS.")


class LabellingProgress(AnswerModel):
    """The state of the verdict on the first system with the present labels."""

    reached: int = Field(description="Topics that reach their P@5, whatever else is labelled.")
    missed: int = Field(description="Topics that miss it, whatever else is labelled.")
    open: int = Field(description="Topics that missing labels decide.")
    left: int = Field(description="Hits that nobody has judged, of all systems.")
    checks: list[GateCheck] = Field(description="The gate's checks of the answers.")


class FailedTopic(AnswerModel):
    """A topic that could not be searched."""

    topic_id: str = Field(description=_TOPIC)
    error: str = Field(description="The reason.")


class LabelQueueAnswer(AnswerModel):
    """The hits to label."""

    queue: str = Field(description="Id of these systems and this depth; the same for all judges.")
    test_set: str = Field(description="Name of the test set.")
    generations: list[str] = Field(description="Ids of the systems' generations.")
    items: list[LabelItem] = Field(
        description="In labelling order: the topic that needs the fewest labels first, the hits of a topic at random."
    )
    waiting: int = Field(description="Number of hits to label; `items` has the first ones.")
    undo: GivenLabel | None = Field(default=None, description="The last label or skip of this judge; null without one.")
    progress: LabellingProgress = Field(description="How far the labels decide the verdict.")
    failed: list[FailedTopic] = Field(description="Topics that could not be searched.")
    problems: list[str] = Field(description="Why some hits cannot be labelled.")


class TopicChange(AnswerModel):
    """The effect of a label on one topic."""

    topic_id: str = Field(description=_TOPIC)
    before: Standing | None = Field(
        default=None,
        description="`reached`, `missed`, or `open` if missing labels decide; null if no P@5 is required of the topic.",
    )
    after: Standing | None = Field(default=None, description="The same, with the label.")
    precision_before: float | None = Field(
        default=None, description="P@5 before the label; unjudged hits count as not relevant."
    )
    precision_after: float | None = Field(default=None, description="P@5 with the label.")


class EffectOfLabel(AnswerModel):
    """The effect of a label on the verdict."""

    topics: list[TopicChange] = Field(description="The topic, and paraphrases that share its judgments.")
    progress: LabellingProgress = Field(description="How far the labels decide the verdict now.")


class LabelAnswer(AnswerModel):
    """A label that was given."""

    saved: bool = Field(
        description="Whether it was added to the test set; false if the passage had a label, which stays."
    )
    label: int = Field(description="The label that the test set has.")
    given: GivenLabel = Field(description="The label of this judge.")
    effect: EffectOfLabel | None = Field(
        default=None,
        description="The effect on the verdict; null if the label was not added, or without a queue.",
    )


class UndoAnswer(AnswerModel):
    """A label or skip that was undone."""

    undone: GivenLabel = Field(description="The label or skip.")
    effect: EffectOfLabel | None = Field(default=None, description="As of a label.")


class LabelPage(AnswerModel):
    """A page's text."""

    url: str = Field(description="URL of the page.")
    text: str = Field(description="Its text.")


class SelectedPassage(AnswerModel):
    """A selection as the passage of a judgment."""

    judgment: JudgedPassage = Field(description="The judgment that a label makes, without the label.")
    chunk_ids: list[str] = Field(description="The chunks that it labels.")
