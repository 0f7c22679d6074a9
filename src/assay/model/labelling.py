"""Hits to label, and the labels that people gave them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from assay.model.documents import Chunk
from assay.model.evaluation import Finding, Passage, TestSet, Topic
from assay.model.ranking import Mode

_NOWHERE = Passage()


@dataclass(frozen=True, slots=True)
class ToLabel:
    """An unjudged hit.

    topic: the topic to add the label to; the original of a paraphrase without judgments of its own.
    why: the effect of its label, in a few words.
    passage: to store a label with; empty until it is found.
    """

    topic: Topic
    chunk: Chunk
    why: str
    passage: Passage = _NOWHERE

    @property
    def key(self) -> tuple[str, str]:
        """Topic and text: hits with the same key share one label."""
        return self.topic.id, self.chunk.content_hash


@dataclass(frozen=True, slots=True)
class Addition:
    """A judgment that was added to a file.

    at, removed, inserted: offset of the change, and the bytes before (mostly none) and after it.
    after: SHA-256 of the file with the judgment.
    """

    path: Path
    topic_id: str
    at: int
    removed: bytes
    inserted: bytes
    after: str


@dataclass(frozen=True, slots=True)
class LabelEntry:
    """One key of a labelling session: a label, or a skip.

    judge: the name of the person; "" if it was not given.
    content_hash: of the hit's text; None for a passage that was selected on a page.
    passage, label: None for a skip.
    addition: the change of the test set's file; None for a skip, and if the file already had a label for the passage.
    """

    id: str
    at: datetime
    judge: str
    topic_id: str
    content_hash: str | None
    passage: Passage | None
    label: int | None
    addition: Addition | None = None


class Standing(StrEnum):
    """Whether a topic reaches its required P@5, for all possible missing labels; OPEN if they decide."""

    REACHED = "reached"
    MISSED = "missed"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class LabelledSystem:
    """A system whose hits are labelled.

    generation: an id, `live` or `candidate`; None for the candidate, else the live one.
    mode: None for that of [search].
    """

    generation: str | None = None
    mode: Mode | None = None


@dataclass(frozen=True, slots=True)
class LabelProgress:
    """The state of the verdict on a system with the present labels.

    reached, missed, open: number of topics by standing.
    left: number of hits that nobody has judged.
    checks: the gate's checks of the answers, with the present labels.
    """

    reached: int
    missed: int
    open: int
    left: int
    checks: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class TopicEffect:
    """The effect of a label on one topic: its standing and P@5, before and after.

    None: the topic has no required P@5, or failed.
    """

    topic_id: str
    before: Standing | None
    after: Standing | None
    precision_before: float | None
    precision_after: float | None


@dataclass(frozen=True, slots=True)
class LabelEffect:
    """The effect of a label, or of undoing one. topics: the topic, and paraphrases that share its judgments."""

    topics: tuple[TopicEffect, ...]
    progress: LabelProgress


@dataclass(frozen=True, slots=True)
class LabelOutcome:
    """A label that was given.

    label: that of the test set, which an earlier label may have decided.
    saved: whether this label was written to the test set.
    effect: None if it was not saved, or without a queue.
    """

    entry: LabelEntry
    label: int
    saved: bool
    effect: LabelEffect | None


@dataclass(frozen=True, slots=True)
class LabelQueue:
    """Hits to label, of one or two systems.

    id: of these systems and this depth; the same for all judges, and in every server process.
    generations: of the systems.
    items: the first ones, in labelling order. waiting: how many there are.
    undo: the last key of this judge; None without one.
    progress: of the first system.
    failed: errors of failed topics, by id. problems: why some hits cannot be labelled, each a sentence.
    """

    id: str
    test_set: str
    generations: tuple[str, ...]
    items: tuple[ToLabel, ...]
    waiting: int
    undo: LabelEntry | None
    progress: LabelProgress
    failed: tuple[tuple[str, str], ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A passage with different labels, in the order of the judges. url: of its page; "" without one."""

    topic_id: str
    content_hash: str | None
    url: str
    quote: str
    labels: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two judges on the passages that both labelled.

    both, equal: number of these passages, and of those with equal labels.
    kappa: agreement beyond chance (Cohen), 1 for equal labels and 0 for chance; None if it is undefined.
    weighted_kappa: the same, by which 0 and 2 differ twice as much as 1 and 2.
    """

    judges: tuple[str, str]
    both: int
    equal: int
    kappa: float | None
    weighted_kappa: float | None
    differing: tuple[Disagreement, ...]


@dataclass(frozen=True, slots=True)
class LabelledTestSet:
    """A test set that can be labelled.

    problem: why its file cannot be read; then there is no test_set.
    """

    path: Path
    test_set: TestSet | None
    problem: str
    judges: tuple[str, ...]
    agreements: tuple[Agreement, ...]


@dataclass(frozen=True, slots=True)
class QueueRequest:
    """The hits that a judge wants to label.

    systems: one or two; the gate's checks are those of the first.
    depth: number of hits of each topic. topics: ids; empty for all.
    skipped: whether skipped hits are asked again.
    second_opinion: whether to ask about hits that another judge has labelled, instead of unjudged ones.
    limit: maximum number of items.
    """

    test_set: str
    judge: str
    systems: tuple[LabelledSystem, ...]
    depth: int
    topics: tuple[str, ...]
    skipped: bool
    second_opinion: bool
    limit: int
