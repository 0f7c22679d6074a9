"""Run the tests of a validation request in sequence, within a time limit."""

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from threading import BoundedSemaphore
from time import monotonic

from assay.app import Assay
from assay.contracts import service_validation
from assay.contracts.service_validation import ValidationOutcome, ValidationRequest, ValidationTest
from assay.errors import EmbeddingError, InputError, RerankError
from assay.model.batches import batched
from assay.model.documents import Chunk
from assay.retrieval.searcher import Searcher
from assay.web.errors import refusal_of

logger = logging.getLogger("assay.web")

_ID_BATCH = 500
_EMBEDDING_BATCH = 200


class ServerStopping(Exception):
    """The server is stopping, so the remaining tests are not run."""


class Validations:
    """Runs tests against the live generation, for few requests at a time: each takes as long as many searches.

    at_once: the most concurrent requests.
    seconds: after which no further test of a request starts.
    """

    def __init__(self, assay: Assay, at_once: int, seconds: float) -> None:
        self._assay = assay
        self._seconds = seconds
        self._shaping = assay.searches.shaping
        self.slots = BoundedSemaphore(at_once)

    def run(self, request: ValidationRequest, stops: Callable[[], bool]) -> tuple[str, list[ValidationOutcome]]:
        """Run every test; return the id of the generation, and the outcomes in the order of the tests.

        stops: whether the server is stopping; called before every test.

        A query that cannot be embedded or reranked is an error of its test only. Raises NoLiveGeneration,
        VectorStoreError, CatalogError and IdentityMismatch, which affect all tests, and ServerStopping.
        """
        until = monotonic() + self._seconds
        with self._assay.searches.live.lease() as searcher:
            known = _expected_chunks(searcher, request.tests)
            outcomes: list[ValidationOutcome] = []
            answers = True
            # One first, to notice quickly that the embedder is down.
            first, later = request.tests[:1], request.tests[1:]
            for batch in (first, *batched(later, _EMBEDDING_BATCH)):
                if answers and not stops():
                    self._prefetch_queries(batch, until)
                for test in batch:
                    if stops():
                        raise ServerStopping
                    if monotonic() > until:
                        late = f"Not run: the validation exceeded its time limit of {self._seconds:g} seconds."
                        outcomes.append(service_validation.not_run(test, known, late))
                    else:
                        outcome, answers = self._ask(searcher, test, request.top_k, known)
                        outcomes.append(outcome)
            return searcher.generation.id, outcomes

    def _prefetch_queries(self, tests: Sequence[ValidationTest], until: float) -> None:
        """Embed the queries of a costly embedder in few calls, within half of the remaining time.

        Queries that this does not embed are embedded one by one.
        """
        embedder = self._assay.parts.embedder
        left = until - monotonic()
        if len(tests) > 1 and embedder.batching.costly and left > 0.0:
            with suppress(EmbeddingError):
                embedder.prefetch_queries([test.query_text for test in tests], left / 2.0)

    def _ask(
        self, searcher: Searcher, test: ValidationTest, top_k: int, known: dict[str, Chunk]
    ) -> tuple[ValidationOutcome, bool]:
        """Run a test; return its outcome, and whether the embedder works."""
        now = datetime.now(UTC)
        try:
            query = service_validation.query_of(test, top_k, self._shaping.mode)
            ranking = searcher.search(self._shaping.query(query))
        except (InputError, EmbeddingError, RerankError) as error:
            refusal = refusal_of(error)
            logger.warning("Validation test %r failed to run: %s", test.test_id, error)
            outcome = service_validation.not_run(test, known, refusal.message or error.message, now)
            return outcome, not isinstance(error, EmbeddingError)
        return service_validation.judge(test, self._shaping.reorder(ranking).hits, known, now), True


def _expected_chunks(searcher: Searcher, tests: Sequence[ValidationTest]) -> dict[str, Chunk]:
    """The expected chunks that the generation contains, by id."""
    wanted = list(dict.fromkeys(identity for test in tests for identity in test.expected_results))
    known: dict[str, Chunk] = {}
    for part in batched(wanted, _ID_BATCH):
        known.update(searcher.index.chunks(part))
    return known
