"""Reading a payload by dotted paths, also through JSON that stands in it as text."""

import json
from collections.abc import Mapping
from typing import Any

_ABSENT = object()


def whole(text: str) -> str:
    """A text that can be encoded: JSON inside of a text may have halves of surrogate pairs, for which � stands in."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class PayloadView:
    """The payload of one point, as a mapping looks into it.

    A path is a key (`url`), or keys joined by dots (`metadata.url`); the keys below the first may have dots themselves.
    Where a text stands in the way and more of the path is left, it is read as JSON (`_node_content.text`).
    """

    def __init__(self, payload: Mapping[str, Any]) -> None:
        self._payload = payload
        self._read: dict[str, Any] = {}

    def find(self, path: str) -> Any:  # noqa: ANN401 - JSON
        """The value at a path; None where there is nothing, and for an explicit null."""
        here: Any = self._payload
        walked = ""
        parts = path.split(".")
        for position, key in enumerate(parts):
            if isinstance(here, str):
                here = self._parsed(walked, here)
            if not isinstance(here, Mapping):
                return None
            rest = ".".join(parts[position:])
            if position and rest in here:
                return here[rest]
            here = here.get(key)
            walked = f"{walked}.{key}"
        return here

    def _parsed(self, path: str, text: str) -> Any:  # noqa: ANN401 - JSON
        """The JSON in a text, read once for each payload; None for a text that is none."""
        found = self._read.get(path, _ABSENT)
        if found is _ABSENT:
            try:
                found = json.loads(text)
            except (ValueError, RecursionError):
                found = None
            self._read[path] = found
        return found
