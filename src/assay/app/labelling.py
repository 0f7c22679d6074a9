"""Labelling: the queue of hits, and the labels of several judges, each saved before the call returns."""

import logging
import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock, RLock
from uuid import uuid4

from assay.adapters.testset_files.label_journal import LabelJournal
from assay.adapters.testset_files.skipped_hits import SkippedHits
from assay.app.evaluation import Evaluation
from assay.app.labels import Labels
from assay.app.parts import Parts
from assay.app.systems import Systems
from assay.app.testsets import FileStamp, add_judgment, file_stamp, load_test_set, remove_judgment
from assay.errors import ConfigurationError, InputError
from assay.model.evaluation import Judgment, Passage, TestSet, Topic
from assay.model.labelling import (
    LabelEffect,
    LabelEntry,
    LabelledTestSet,
    LabelOutcome,
    LabelProgress,
    LabelQueue,
    QueueRequest,
    Standing,
    TopicEffect,
)
from assay.model.ranking import Mode
from assay.model.validations import TopicResult
from assay.validation.gate.quality import PRECISION, answer_findings
from assay.validation.labelling.agreement import agreements
from assay.validation.labelling.sheet import (
    Sheet,
    chosen,
    owners,
    pooled,
    refuse_label,
    second_opinions,
    standings,
    unjudged,
    with_judgment,
)

logger = logging.getLogger(__name__)

_SEPARATOR = "~"
_KEPT_SHEETS = 8
"""Queues whose rankings are kept in memory, so that nothing is searched again after each label."""


class Labeller:
    """One judge's labels on one test-set file.

    judge: name of the person; "" if it was not given.
    """

    def __init__(self, path: Path, judge: str, journal: LabelJournal, skipped: SkippedHits) -> None:
        self._path = path
        self._judge = judge
        self._journal = journal
        self._skipped = skipped

    def label(
        self, topic: Topic, passage: Passage, label: int, content_hash: str | None = None
    ) -> tuple[LabelEntry, Judgment | None]:
        """Add a label to the test set. If the topic already has a judgment of this passage, return it, and add none.

        Raises InputError for a label that the topic does not allow, and for a file that cannot be edited.
        """
        refuse_label(topic, label)
        added = add_judgment(self._path, topic.id, Judgment(passage, label))
        known = added if isinstance(added, Judgment) else None
        entry = self._entry(topic.id, content_hash, passage, label)
        if not isinstance(added, Judgment):
            entry = replace(entry, addition=added)
        self._record(entry)
        return entry, known

    def skip(self, topic_id: str, content_hash: str) -> LabelEntry:
        """Record that a hit was skipped. Raises ConfigurationError."""
        self._skipped.set(self._path, topic_id, content_hash, skipped=True)
        entry = self._entry(topic_id, content_hash, None, None)
        self._record(entry)
        return entry

    def undo(self, entry: LabelEntry) -> None:
        """Undo a label or a skip. Raises InputError if the file was edited since, so that the label stays."""
        if entry.addition is not None:
            remove_judgment(entry.addition)
        elif entry.label is None and entry.content_hash is not None:
            self._skipped.set(self._path, entry.topic_id, entry.content_hash, skipped=False)
        try:
            self._journal.undo(self._path, entry)
        except ConfigurationError as error:
            logger.warning("%s", error)

    def _entry(self, topic_id: str, content_hash: str | None, passage: Passage | None, label: int | None) -> LabelEntry:
        return LabelEntry(uuid4().hex, datetime.now(UTC), self._judge, topic_id, content_hash, passage, label)

    def _record(self, entry: LabelEntry) -> None:
        """Write to the journal. A label that is saved stays saved without it."""
        try:
            self._journal.add(self._path, entry)
        except ConfigurationError as error:
            logger.warning("A label cannot be undone later: %s", error)


class LabelDesk:
    """Queues and labels for several judges at the same time. Thread-safe.

    Only the test set that judges candidates can be labelled; nobody names a file.
    """

    def __init__(self, parts: Parts, systems: Systems, labels: Labels, evaluation: Evaluation) -> None:
        self._parts = parts
        self._systems = systems
        self._labels = labels
        self._evaluation = evaluation
        self._known: OrderedDict[tuple[Path, _Rankings], tuple[Sheet, ...]] = OrderedDict()
        self._last: tuple[tuple[Path, FileStamp | None], TestSet] | None = None
        self._lock = Lock()  # of _last
        self._measuring = RLock()  # of _known; also so that two judges do not search for the same topics

    def test_sets(self) -> list[LabelledTestSet]:
        """The test sets that can be labelled. Raises CatalogError, ConfigurationError."""
        path = self._evaluation.test_set_path()
        if path is None:
            return []
        entries = self._parts.label_journal.of(path)
        judges = tuple(sorted({entry.judge for entry in entries if entry.judge}))
        test_set, problem = None, ""
        try:
            test_set = load_test_set(path)
        except InputError as error:
            problem = error.message
        return [LabelledTestSet(path, test_set, problem, judges, tuple(agreements(entries)))]

    def queue(self, request: QueueRequest) -> LabelQueue:
        """The hits to label. Searches for all topics at the first call, and after the topics changed.

        Raises InputError for an unknown test set or topic, GenerationError, CatalogError, VectorStoreError.
        """
        path, test_set = self._test_set(request.test_set)
        wanted = {topic.id for topic in chosen(test_set, request.topics).topics}
        rankings = self._rankings(request)
        with self._measuring:
            sheets = self._sheets(path, test_set, rankings, with_items=True)
        entries = self._parts.label_journal.of(path)
        if request.second_opinion:
            items = second_opinions(sheets[0], entries, request.judge)
        else:
            hidden = set() if request.skipped else self._labels.skipped.of(path)
            items = pooled(test_set.name, [sheet.items for sheet in sheets])
            items = [item for item in items if item.key not in hidden]
        items = [item for item in items if item.topic.id in wanted]
        own = [entry for entry in entries if entry.judge == request.judge]
        return LabelQueue(
            id=rankings.name,
            test_set=test_set.name,
            generations=tuple(sheet.generation for sheet in sheets),
            items=tuple(items[: request.limit]),
            waiting=len(items),
            undo=own[-1] if own else None,
            progress=self._progress(sheets, test_set),
            failed=tuple({**sheets[-1].failed, **sheets[0].failed}.items()),
            problems=tuple(dict.fromkeys(problem for sheet in sheets for problem in sheet.problems)),
        )

    def label(
        self,
        test_set_name: str,
        judge: str,
        topic_id: str,
        passage: Passage,
        label: int,
        content_hash: str | None = None,
        queue_id: str | None = None,
    ) -> LabelOutcome:
        """Label a passage for a topic. The label is in the file when this returns.

        queue_id: of the queue whose progress is computed; None for none.

        Raises InputError for an unknown test set or topic, a label that the topic does not allow, a passage that is
        not found in the generation of the queue, and a file that cannot be edited.
        """
        path, test_set = self._test_set(test_set_name)
        topic = owners(test_set.topics).get(topic_id)
        if topic is None:
            raise InputError(f"topic_id: {test_set.name} has no topic with the id {topic_id}.")
        self._require_found(passage, queue_id)
        entry, known = self.labeller(path, judge).label(topic, passage, label, content_hash)
        saved = known is None
        changed = with_judgment(test_set, topic.id, Judgment(passage, label)) if saved else None
        effect = None if changed is None else self._effect(path, queue_id, test_set, changed)
        return LabelOutcome(entry, label if known is None else known.label, saved, effect)

    def skip(self, test_set_name: str, judge: str, topic_id: str, content_hash: str) -> LabelEntry:
        """Skip a hit. Raises InputError for an unknown test set."""
        path, _ = self._test_set(test_set_name)
        return self.labeller(path, judge).skip(topic_id, content_hash)

    def undo(
        self, test_set_name: str, judge: str, entry_id: str, queue_id: str | None = None
    ) -> tuple[LabelEntry, LabelEffect | None]:
        """Undo a label or a skip of this judge, also one from before a restart.

        Raises InputError for an unknown entry, one that was undone already, and one whose label was edited since.
        """
        path, before = self._test_set(test_set_name)
        entries = self._parts.label_journal.of(path)
        entry = next((one for one in entries if one.id == entry_id and one.judge == judge), None)
        if entry is None:
            raise InputError("entry: there is no such label of this judge, or it was undone already.")
        self.labeller(path, judge).undo(entry)
        if entry.addition is None:
            return entry, None
        _, after = self._test_set(test_set_name)
        owner_of = owners(after.topics)
        of_topic = tuple(topic for topic in after.topics if owner_of[topic.id].id == entry.topic_id)
        return entry, self._effect(path, queue_id, before, replace(after, topics=of_topic))

    def labeller(self, path: Path, judge: str) -> Labeller:
        """The labels of one judge on one file. judge: see Labeller."""
        return Labeller(path, judge, self._parts.label_journal, self._parts.skipped_hits)

    def _require_found(self, passage: Passage, queue_id: str | None) -> None:
        """Raise InputError for a passage that no generation of a queue has; without a queue, the measured one."""
        rankings = _Rankings.parse(queue_id or "")
        names = [name for name, _ in rankings.systems] if rankings else [self._systems.measured_generation(None).id]
        problems = []
        for name in dict.fromkeys(names):
            try:
                self._labels.found_chunks(name, passage)
            except InputError as error:
                problems.append(error)
            else:
                return
        raise problems[0]

    def _test_set(self, name: str) -> tuple[Path, TestSet]:
        """The file of a test set and its content. Raises InputError for one that cannot be labelled."""
        path = self._evaluation.test_set_path()
        test_set = None if path is None else self._loaded(path)
        if path is None or test_set is None or test_set.name != name:
            known = f"; it can be {test_set.name}" if test_set is not None else ""
            raise InputError(f"test_set: there is no test set {name} to label{known}.")
        return path, test_set

    def _loaded(self, path: Path) -> TestSet:
        """The test set in a file, parsed again only if the file changed. Raises InputError."""
        stamp = path, file_stamp(path)
        with self._lock:
            if self._last is not None and self._last[0] == stamp and stamp[1] is not None:
                return self._last[1]
        test_set = load_test_set(path)
        with self._lock:
            self._last = stamp, test_set
        return test_set

    def _rankings(self, request: QueueRequest) -> "_Rankings":
        modes = [system.mode or self._parts.settings.search.mode for system in request.systems]
        generations = [self._systems.measured_generation(system.generation).id for system in request.systems]
        return _Rankings(request.depth, tuple(dict.fromkeys(zip(generations, modes, strict=True))))

    def _sheets(self, path: Path, test_set: TestSet, rankings: "_Rankings", *, with_items: bool) -> tuple[Sheet, ...]:
        """The sheets of the systems with the labels of a test set. To be called within `_measuring`.

        Searches for all topics only if this process has not yet, or if they changed.

        with_items: whether their items have to be complete.
        """
        known = self._known.get((path, rankings))
        if known is None or _topics(known[0].test_set) != _topics(test_set):
            sheets = tuple(
                self._labels.sheet(test_set, generation, mode=mode, depth=rankings.depth)
                for generation, mode in rankings.systems
            )
        elif with_items or known[0].test_set.topics != test_set.topics:
            sheets = tuple(self._labels.refresh(sheet, test_set) for sheet in known)
        else:
            sheets = known
        self._remember(path, rankings, sheets)
        return sheets

    def _remember(self, path: Path, rankings: "_Rankings", sheets: tuple[Sheet, ...]) -> None:
        self._known[path, rankings] = sheets
        self._known.move_to_end((path, rankings))
        while len(self._known) > _KEPT_SHEETS:
            self._known.popitem(last=False)

    def _effect(self, path: Path, queue_id: str | None, test_set: TestSet, changed: TestSet) -> LabelEffect | None:
        """Measure the changed topics again, and compare; None for an unknown queue.

        test_set: before the change. changed: only these topics, with their new judgments.
        """
        rankings = _Rankings.parse(queue_id or "")
        if rankings is None:
            return None
        with self._measuring:
            before = self._sheets(path, test_set, rankings, with_items=False)
            sheets = tuple(_updated(sheet, self._labels.measure_again(sheet, changed)) for sheet in before)
            self._remember(path, rankings, sheets)
        return LabelEffect(self._topic_effects(before[0], sheets[0], changed), self._progress(sheets, test_set))

    def _topic_effects(self, before: Sheet, after: Sheet, changed: TestSet) -> tuple[TopicEffect, ...]:
        limits = self._systems.gate.quality
        ids = {topic.id for topic in changed.topics}
        sides = [{one.topic.id: one for one in sheet.results if one.topic.id in ids} for sheet in (before, after)]
        standing = [standings(list(side.values()), limits) for side in sides]
        return tuple(
            TopicEffect(
                topic_id,
                standing[0].get(topic_id),
                standing[1].get(topic_id),
                sides[0][topic_id].values.get(PRECISION),
                sides[1][topic_id].values.get(PRECISION),
            )
            for topic_id in sides[1]
            if topic_id in sides[0]
        )

    def _progress(self, sheets: Sequence[Sheet], test_set: TestSet) -> LabelProgress:
        results, limits = sheets[0].results, self._systems.gate.quality
        counts = list(standings(results, limits).values())
        return LabelProgress(
            reached=counts.count(Standing.REACHED),
            missed=counts.count(Standing.MISSED),
            open=counts.count(Standing.OPEN),
            left=len(set().union(*map(unjudged, sheets))),
            checks=tuple(answer_findings(results, limits, derived=test_set.derived)),
        )


@dataclass(frozen=True, slots=True)
class _Rankings:
    """The rankings of a queue: by id of the generation and mode. depth: number of hits of each topic."""

    depth: int
    systems: tuple[tuple[str, Mode], ...]

    @property
    def name(self) -> str:
        """The id of the queue, from which every server process can tell the rankings."""
        return _SEPARATOR.join([str(self.depth), *(part for system in self.systems for part in system)])

    @classmethod
    def parse(cls, name: str) -> "_Rankings | None":
        """The rankings of a queue; None for what is no id of one."""
        depth, *parts = name.split(_SEPARATOR)
        pairs = list(zip(parts[::2], parts[1::2], strict=False))
        if (
            not re.fullmatch(r"[0-9]{1,3}", depth)
            or not pairs
            or len(parts) % 2
            or any(mode not in set(Mode) for _, mode in pairs)
        ):
            return None
        return cls(int(depth), tuple((generation, Mode(mode)) for generation, mode in pairs))


def _topics(test_set: TestSet) -> list[tuple[object, ...]]:
    """The part of a test set on which its rankings depend."""
    return [(one.id, one.text, one.filters, one.top_k, one.excluded, one.paraphrase_of) for one in test_set.topics]


def _updated(sheet: Sheet, measured: Iterable[TopicResult]) -> Sheet:
    """The sheet with new results of some topics. Its items stay: they have the passages of hits."""
    results = {result.topic.id: result for result in sheet.results} | {one.topic.id: one for one in measured}
    topics = tuple(result.topic for result in results.values())
    return replace(sheet, results=tuple(results.values()), test_set=replace(sheet.test_set, topics=topics))
