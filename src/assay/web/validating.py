"""Running the tests of a request one after the other, within the time that a request may take."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from threading import BoundedSemaphore
from time import monotonic

from assay.app import Assay
from assay.contracts import service_validation
from assay.contracts.service_validation import ValidationOutcome, ValidationRequest, ValidationTest
from assay.errors import EmbeddingError, InputError
from assay.model.batches import batched
from assay.model.documents import Chunk
from assay.retrieval.searcher import Searcher
from assay.web.errors import refusal_of

logger = logging.getLogger("assay.web")

_IDS_AT_ONCE = 500
_EMBEDDED_AT_ONCE = 200


class Stopping(Exception):
    """The server stops, and the rest of the tests would keep it."""


class Validations:
    """Runs tests against the live generation, few requests at a time: each takes as long as many searches.

    at_once: requests at the same time.
    seconds: after which no further test of a request is begun.
    """

    def __init__(self, assay: Assay, at_once: int, seconds: float) -> None:
        self._assay = assay
        self._seconds = seconds
        self._shaping = assay.searches.shaping
        self.places = BoundedSemaphore(at_once)

    def run(self, request: ValidationRequest, stops: Callable[[], bool]) -> tuple[str, list[ValidationOutcome]]:
        """The generation that was asked, and what became of every test.

        stops: whether the server is on its way out; asked before every test.

        A query that cannot be embedded is the error of its test. A store that is down is the error of all, for nothing
        can be said of any: NoLiveGeneration, VectorStoreError, CatalogError, IdentityMismatch. Raises Stopping.
        """
        until = monotonic() + self._seconds
        with self._assay.searches.live.lease() as searcher:
            known = _expected_chunks(searcher, request.tests)
            outcomes: list[ValidationOutcome] = []
            answers = True
            for together in _together(request.tests):
                if answers and not stops():
                    self._announce(together, until)
                for test in together:
                    if stops():
                        raise Stopping
                    if monotonic() > until:
                        late = f"It was not run: a validation has {self._seconds:g} seconds."
                        outcomes.append(service_validation.not_run(test, known, late))
                    else:
                        outcome, answers = self._ask(searcher, test, request.top_k, known)
                        outcomes.append(outcome)
            return searcher.generation.id, outcomes

    def _announce(self, tests: Sequence[ValidationTest], until: float) -> None:
        """Have queries that cost something embedded in few calls, in half of the time that is left.

        What that does not do is embedded one by one.
        """
        embedder = self._assay.parts.embedder
        left = until - monotonic()
        if len(tests) > 1 and embedder.batching.costly and left > 0.0:
            with suppress(EmbeddingError):
                embedder.prefetch_queries([test.query_text for test in tests], left / 2.0)

    def _ask(
        self, searcher: Searcher, test: ValidationTest, top_k: int, known: dict[str, Chunk]
    ) -> tuple[ValidationOutcome, bool]:
        """What became of a test, and whether the embedder answers."""
        now = datetime.now(UTC)
        try:
            ranking = searcher.search(service_validation.query_of(test, top_k, self._shaping.mode))
        except (InputError, EmbeddingError) as error:
            refusal = refusal_of(error)
            logger.warning("The validation test %r could not be run: %s", test.test_id, error)
            outcome = service_validation.not_run(test, known, refusal.message or error.message, now)
            return outcome, not isinstance(error, EmbeddingError)
        return service_validation.judge(test, self._shaping.arranged(ranking).hits, known, now), True


def _together(tests: Sequence[ValidationTest]) -> Iterator[Sequence[ValidationTest]]:
    """The first by itself, for it finds out in seconds that nobody answers; then as many as are embedded together."""
    yield tests[:1]
    for start in range(1, len(tests), _EMBEDDED_AT_ONCE):
        yield tests[start : start + _EMBEDDED_AT_ONCE]


def _expected_chunks(searcher: Searcher, tests: Sequence[ValidationTest]) -> dict[str, Chunk]:
    """Those of the expected chunks that the generation holds."""
    wanted = list(dict.fromkeys(identity for test in tests for identity in test.expected_results))
    known: dict[str, Chunk] = {}
    for part in batched(wanted, _IDS_AT_ONCE):
        known.update(searcher.index.chunks(part))
    return known
