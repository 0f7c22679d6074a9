"""Reading a payload by dotted paths, also inside JSON that is stored as text."""

import json
from collections.abc import Mapping
from typing import Any

_ABSENT = object()


def replace_surrogates(text: str) -> str:
    """Replace unpaired surrogates, which JSON may contain, by �."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class PayloadView:
    """The payload of one point, readable by paths.

    A path is a key (`url`), or keys joined by dots (`metadata.url`); keys below the first may contain dots. A text
    in the middle of a path is parsed as JSON (`_node_content.text`).
    """

    def __init__(self, payload: Mapping[str, Any]) -> None:
        self._payload = payload
        self._read: dict[str, Any] = {}

    def find(self, path: str) -> Any:  # noqa: ANN401 - JSON
        """The value at a path; None if it is missing or null."""
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
        """The JSON in a text, parsed once per payload; None if it is not JSON."""
        found = self._read.get(path, _ABSENT)
        if found is _ABSENT:
            try:
                found = json.loads(text)
            except (ValueError, RecursionError):
                found = None
            self._read[path] = found
        return found
