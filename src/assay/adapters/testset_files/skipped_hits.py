"""Hits skipped during labelling, in an append-only JSON Lines file; the last line for a hit counts."""

import json
from pathlib import Path

from assay.errors import ConfigurationError


class SkippedHits:
    """The skipped hits by test set and topic. Several processes may append at the same time.

    path: created with its folder at the first skip. Damaged lines are ignored.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def of(self, test_set: Path) -> set[tuple[str, str]]:
        """Topic and content hash of each skipped hit of a test-set file. Raises ConfigurationError."""
        try:
            lines = self._path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return set()
        except OSError as error:
            raise self._failed("read", error) from None
        skipped: dict[tuple[str, str], bool] = {}
        for line in lines:
            entry = _entry(line)
            if entry is not None and entry["file"] == str(test_set.resolve()):
                skipped[entry["topic"], entry["content_hash"]] = bool(entry["skipped"])
        return {key for key, is_skipped in skipped.items() if is_skipped}

    def set(self, test_set: Path, topic_id: str, content_hash: str, *, skipped: bool) -> None:
        """Record that a hit was skipped, or no longer is. Raises ConfigurationError."""
        entry = {"file": str(test_set.resolve()), "topic": topic_id, "content_hash": content_hash, "skipped": skipped}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:
                file.write(json.dumps(entry).encode() + b"\n")
        except OSError as error:
            raise self._failed("written", error) from None

    def _failed(self, operation: str, error: OSError) -> ConfigurationError:
        return ConfigurationError(
            f"The list of skipped hits, {self._path}, cannot be {operation}: {error.strerror}.",
            hint="Choose another folder with --data-dir or ASSAY_DATA_DIR.",
        )


def _entry(line: bytes) -> dict[str, str] | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    keys = {"file", "topic", "content_hash", "skipped"}
    return entry if isinstance(entry, dict) and keys <= entry.keys() else None
