"""Cross-encoders on this machine's CPU by fastembed, an optional extra: `pip install '.[fastembed]'`.

A model is downloaded at first use, or read from a folder.
"""

import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from assay.adapters.remote.breaker import CircuitBreaker
from assay.adapters.remote.clock import MonotonicClock
from assay.adapters.remote.unusable import UnusableAnswer
from assay.adapters.rerankers.score_checks import finite_scores
from assay.errors import ConfigurationError, RerankerRefused, RerankError, RerankerUnavailable
from assay.ports import RerankerIdentity

_RETRY_SECONDS = 30.0

DEFAULT_MODEL = "Xenova/ms-marco-MiniLM-L-6-v2"


class FastEmbedReranker:
    """A cross-encoder of fastembed, loaded at the first query. Safe to use from several threads.

    model: fastembed's name of a built-in or added model.
    folder: of the model's files; None to let fastembed find or download them.
    timeout: seconds for which a query waits for those before it. Scoring itself is not interrupted.

    Raises ConfigurationError if fastembed is missing.
    """

    def __init__(self, model: str, folder: Path | None, timeout: float) -> None:
        if find_spec("fastembed") is None:
            raise ConfigurationError(
                "The reranker fastembed is not installed.",
                hint="Install it: `pip install '.[fastembed]'` in Assay's checkout.",
            )
        self.identity = RerankerIdentity("fastembed", model)
        self._folder = folder
        self._timeout = timeout
        self._one_at_a_time = threading.Lock()  # the model uses all cores
        self._model: Any = None
        self._loading = CircuitBreaker(1, _RETRY_SECONDS, MonotonicClock())

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """A finite score for each text, in the order of the texts. See Reranker.scores.

        Raises RerankerRefused for an unknown model, RerankerUnavailable if it cannot be loaded or is busy, RerankError
        for scores that are not finite.
        """
        if not texts:
            return []
        if not self._one_at_a_time.acquire(timeout=self._timeout):
            raise RerankerUnavailable(f"{self.identity.model} is busy with other queries.")
        try:
            if self._model is None:
                self._load()
            return finite_scores(list(self._model.rerank(query, list(texts))), len(texts))
        except UnusableAnswer as error:
            raise RerankError(f"{self.identity.model} returned scores that cannot be used: {error}.") from None
        finally:
            self._one_at_a_time.release()

    def close(self) -> None:
        """Do nothing."""

    def _load(self) -> None:
        """Load the model; after a failure only once in a while, because a download can take long to fail."""
        if not self._loading.allows_request():
            raise RerankerUnavailable(
                f"{self.identity.model} could not be loaded; next try within {_RETRY_SECONDS:.0f} seconds."
            )
        try:
            self._model = _load(self.identity.model, self._folder)
        except RerankError:
            self._loading.failed()
            raise


def _load(model: str, folder: Path | None) -> Any:  # noqa: ANN401 - fastembed is optional
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    where = {"specific_model_path": str(folder)} if folder else {}
    try:
        return TextCrossEncoder(model, **where)
    except ValueError as error:
        raise RerankerRefused(
            f"fastembed cannot load {model}: {error}",
            hint="`python -c 'from fastembed.rerank.cross_encoder import TextCrossEncoder as t; "
            "print(t.list_supported_models())'` lists them.",
        ) from None
    except Exception as error:
        raise RerankerUnavailable(
            f"The files of {model} cannot be loaded: {error}",
            hint="They are downloaded once; without a network set [rerank] model_dir to a folder with them.",
        ) from error
