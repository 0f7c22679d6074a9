"""The parts of a provider's answer besides the result: the message of a refusal, and the time to wait."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from assay.adapters.remote.retries import retry_after_seconds
from assay.adapters.remote.transport import Answer
from assay.redaction import peer_words


def message_in(answer: Answer) -> str:
    """Message of an error body in any common shape, on one line and without secrets; empty for none."""
    try:
        return peer_words(_message_of(json.loads(answer.body)))
    except (ValueError, RecursionError):
        return ""


def retry_after_in(answer: Answer) -> float | None:
    """Seconds that the provider asks to wait; None if it does not."""
    now = datetime.now(UTC)
    milliseconds = retry_after_seconds(answer.headers.get("retry-after-ms"), now)
    if milliseconds is not None:
        return milliseconds / 1000.0
    return retry_after_seconds(answer.headers.get("retry-after"), now)


def _message_of(answer: Any) -> str:  # noqa: ANN401 - parsed JSON
    if isinstance(answer, Mapping):
        for name in ("message", "error", "detail"):
            inner = answer.get(name)
            text = inner if isinstance(inner, str) else _message_of(inner)
            if text:
                return text
    return ""
