"""Write reports to a folder, as `report_YYYYMMDD_HHMMSS` with a suffix for each format."""

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from assay.atomic_files import NO_ROOM, write_files
from assay.errors import FileUnwritable
from assay.redaction import redacted_bytes

_MOST_IN_ONE_SECOND = 1_000


def write_reports(
    folder: Path, began: datetime, contents: Mapping[str, bytes | Iterable[bytes]], kind: str = "report"
) -> dict[str, Path]:
    """Write one report as several files of one name, atomically and without overwriting another report.

    folder: created if missing.
    began: start of the validation; its second in UTC is the name. A second report of that second gets `_2`.
    kind: prefix of the name.
    contents: by suffix such as `json`, as bytes or in pieces; the last one is written last, so that its presence means
        that the others are complete.

    Returns the path of each file by suffix. Raises FileUnwritable if they cannot be written.
    """
    stem = f"{kind}_{began.astimezone(UTC):%Y%m%d_%H%M%S}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _claimed(folder, stem, list(contents)) as name:
            paths = {suffix: folder / f"{name}.{suffix}" for suffix in contents}
            _write({paths[suffix]: content for suffix, content in contents.items()})
            return paths
    except FileExistsError:
        raise FileUnwritable(
            f"Reports cannot be written to {folder}: it is a file, not a folder.", hint=_HINT
        ) from None
    except OSError as error:
        hint = _FULL if error.errno in NO_ROOM else _HINT
        raise FileUnwritable(f"Reports cannot be written to {folder}: {_reason(error)}.", hint=hint) from None


_FULL = (
    "No file of this report was kept. Free some space, or set another folder: --output-dir, or output_dir in "
    "[validation]; then run `assay validate` again."
)
_HINT = "Set a writable folder: --output-dir, or output_dir in [validation]."


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


@contextlib.contextmanager
def _claimed(folder: Path, stem: str, suffixes: list[str]) -> Iterator[str]:
    """Lock an unused name with a claim file, also against other processes and machines.

    The name is checked and the files are written while the claim is held.
    """
    for number in range(1, _MOST_IN_ONE_SECOND + 1):
        name = stem if number == 1 else f"{stem}_{number}"
        claim = folder / f".{name}.writing"
        try:
            os.close(os.open(claim, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            continue
        try:
            if not any((folder / f"{name}.{suffix}").exists() for suffix in suffixes):
                yield name
                return
        finally:
            claim.unlink(missing_ok=True)
    raise FileUnwritable(f"There are {_MOST_IN_ONE_SECOND:,} reports of one second in {folder}.", hint=_HINT)


def _write(files: Mapping[Path, bytes | Iterable[bytes]]) -> None:
    """Write all files or none. Files that already exist belong to this report, because `_claimed` reserved its name."""
    pieces = {path: [content] if isinstance(content, bytes) else content for path, content in files.items()}
    try:
        write_files({path: map(redacted_bytes, content) for path, content in pieces.items()})
    except BaseException:
        for path in files:
            path.unlink(missing_ok=True)
        raise
