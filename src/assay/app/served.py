"""Validation of a running Assay over HTTP.

If the served generation is in the local catalog, labels are resolved on it. Otherwise only the hits are known: the
report has only the measures that need no more than hits, and the verdict does not cover the index.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from assay.app.assay import Assay
from assay.app.testsets import load_test_set
from assay.client.client import Client
from assay.errors import CatalogError, GenerationNotFound, InputError
from assay.model.documents import Chunk
from assay.model.evaluation import ResolvedTopic, Run, TestSet
from assay.model.generations import Generation
from assay.model.ranking import Query
from assay.model.validations import Validation
from assay.ports import Progress
from assay.validation.gate.against_live import AgainstLive
from assay.validation.judgments.collection import CollectionCorpus
from assay.validation.judgments.corpus import CatalogCorpus
from assay.validation.judgments.resolving import resolve
from assay.validation.running.latency import Load
from assay.validation.running.runner import SearchSetup
from assay.validation.suite import Plan, System, validate

_THROTTLE_SECONDS = 60.0
"""How long a search is retried while the server throttles; latencies do not include it."""


def validate_served(
    assay: Assay,
    url: str,
    api_key: str | None,
    progress: Progress,
    load: Sequence[Load] = (),
) -> Validation:
    """Search for the topics of the test set of [validation] over HTTP, and judge the answers by the gate.

    Stores nothing. api_key: with the scope `search`, if the server requires one.

    Raises InputError without a test set, ConfigurationError, ServiceError if the server cannot be searched at all.
    """
    path = assay.settings.validation.testset
    if not path:
        raise InputError(
            "Validating a running Assay needs a test set, and none is set.",
            hint="Set one with --testset FILE or [validation] testset.",
        )
    labelled = load_test_set(path)
    client = Client(url, api_key, throttle_seconds=_THROTTLE_SECONDS, complete=True)
    try:
        search = assay.settings.search
        served = _served_by(client, labelled, assay)
        measures = assay.systems.measures if served else assay.systems.measures.computable_from_hits()
        depth = max(assay.settings.validation.depth, measures.deepest)
        setup = SearchSetup(client.search, None, search.mode, search.threshold, depth)
        return validate(
            Plan(
                test_set=labelled,
                test_set_path=str(path),
                system=_system(labelled, served, assay, setup),
                live=None,
                not_compared=AgainstLive(),
                removed=(),
                measures=measures,
                gate=assay.systems.gate,
                target=client.address,
                search={"mode": search.mode.value, "threshold": search.threshold},
                structure=None,
                load=tuple(load),
                started_at=datetime.now(UTC),
            ),
            progress,
        )
    finally:
        client.close()


def _served_by(client: Client, test_set: TestSet, assay: Assay) -> Generation | None:
    """Return the served generation if the local catalog has it, else None. Raises ServiceError."""
    text = next((topic.text for topic in test_set.topics if topic.text.strip()), None)
    if text is None:
        return None
    name = client.search(Query(text, 1)).generation
    try:
        return assay.parts.catalog.generation(name)
    except (CatalogError, GenerationNotFound):
        return None


def _system(test_set: TestSet, served: Generation | None, assay: Assay, setup: SearchSetup) -> System:
    if served is not None:
        topics = resolve(test_set, CatalogCorpus(assay.parts.catalog, served.id))
        return System(served, served.id, topics, setup)
    unlabelled = tuple(ResolvedTopic(topic, (), {}) for topic in test_set.topics)
    return System(None, "", unlabelled, setup, label=lambda run: _labelled(test_set, run))


def _labelled(test_set: TestSet, run: Run) -> tuple[ResolvedTopic, ...]:
    """Resolve the judgments on the run's hits; drop the others, whose passages may or may not be in the index."""
    return tuple(map(_with_resolved_judgments, resolve(test_set, CollectionCorpus(_RunIndex(run)))))


def _with_resolved_judgments(topic: ResolvedTopic) -> ResolvedTopic:
    both = zip(topic.topic.judgments, topic.resolutions, strict=True)
    resolved = [(judgment, resolution) for judgment, resolution in both if resolution.anchoring.scores]
    judgments = tuple(judgment for judgment, _ in resolved)
    return replace(
        topic,
        topic=replace(topic.topic, judgments=judgments),
        resolutions=tuple(resolution for _, resolution in resolved),
    )


class _RunIndex:
    """The chunks of a run's hits, as an index."""

    def __init__(self, run: Run) -> None:
        self._chunks = {hit.chunk.id: hit.chunk for answer in run.topics for hit in answer.hits}

    def ids(self) -> Iterator[str]:
        yield from sorted(self._chunks)

    def chunks(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        return {one: self._chunks[one] for one in chunk_ids if one in self._chunks}
