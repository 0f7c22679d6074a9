"""Undo of a judgment added to a test-set file, also if other programs changed the file since."""

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from filelock import FileLock, Timeout

from assay.adapters.testset_files.loading import form_of, parse
from assay.adapters.testset_files.text_file import read_text, replace_file
from assay.errors import InputError
from assay.model.labelling import Addition

_LOCK_TIMEOUT_SECONDS = 10.0


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Lock a file against other processes of this user that use this lock.

    The lock is in the system's folder for temporary files, so that version control does not see it.

    Raises InputError if another process holds the lock for too long.
    """
    name = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:24]
    user = getattr(os, "getuid", int)()
    lock = FileLock(Path(tempfile.gettempdir()) / f"assay-testset-{user}-{name}.lock", timeout=_LOCK_TIMEOUT_SECONDS)
    try:
        lock.acquire()
    except Timeout:
        raise InputError(
            f"Another process has been writing to {path} for {_LOCK_TIMEOUT_SECONDS:.0f} seconds.", hint="Try again."
        ) from None
    except OSError as error:
        raise InputError(f"{path} cannot be locked: {error.strerror}.") from None
    try:
        yield
    finally:
        lock.release()


def record_addition(path: Path, topic_id: str, append: Callable[[], None]) -> Addition:
    """Add a judgment by `append` and return the change. To be called within `file_lock`."""
    before = path.read_bytes()
    append()
    after = path.read_bytes()
    at = _common_prefix(before, after)
    end = _common_prefix(before[at:][::-1], after[at:][::-1])
    return Addition(path, topic_id, at, before[at : len(before) - end], after[at : len(after) - end], _digest(after))


def undo_addition(addition: Addition, *, text_keys: frozenset[str], free_key: str) -> None:
    """Remove an added judgment. To be called within `file_lock`.

    An otherwise unchanged file is restored byte for byte. In a changed one, the inserted text is searched and removed
    if the file then has all its content but that judgment.

    Raises InputError if that is not certain; then the file is unchanged.
    """
    file = read_text(addition.path)
    if _digest(file.raw) == addition.after:
        end = addition.at + len(addition.inserted)
        replace_file(addition.path, file.raw[: addition.at] + addition.removed + file.raw[end:])
        return
    form = form_of(addition.path)
    now = parse(file, form, text_keys=text_keys, free_key=free_key)
    for raw in _candidates_without(file.raw, addition):
        with suppress(UnicodeDecodeError):
            then = replace(file, text=raw[len(file.mark) :].decode(file.encoding))
            parsed = parse(then, form, text_keys=text_keys, free_key=free_key)
            if not parsed.problems and _lacks_one_judgment(now.value, parsed.value, addition.topic_id):
                replace_file(addition.path, raw)
                return
    raise _changed(addition)


def _candidates_without(raw: bytes, addition: Addition) -> Iterator[bytes]:
    """Candidates for the file: without the inserted text, or without the judgment and a separator."""
    if raw.count(addition.inserted) == 1:
        yield raw.replace(addition.inserted, addition.removed)
    start, end = addition.inserted.find(b"{"), addition.inserted.rfind(b"}") + 1
    judgment = addition.inserted[start:end]
    if start < 0 or raw.count(judgment) != 1:
        return
    for found in (rb"\r?\n[ \t]*- %s(?=\r?\n)", rb"%s,\s*", rb",\s*%s", rb"%s"):
        yield re.sub(found % re.escape(judgment), b"", raw)


def _changed(addition: Addition) -> InputError:
    return InputError(
        f"{addition.path} was changed by another program, so the judgment of the topic {addition.topic_id} cannot be "
        "removed safely; it is still there.",
        hint="Remove it in an editor: it is among the last of that topic.",
    )


def _lacks_one_judgment(now: object, then: object, topic_id: str) -> bool:
    """Whether `then` equals `now` without one judgment of a topic."""
    if not isinstance(now, dict) or not isinstance(then, dict) or now.keys() != then.keys():
        return False
    if {**now, "topics": None} != {**then, "topics": None} or len(now["topics"]) != len(then["topics"]):
        return False
    differing = [(a, b) for a, b in zip(now["topics"], then["topics"], strict=True) if a != b]
    if len(differing) != 1:
        return False
    a, b = differing[0]
    more, fewer = a.get("judgments"), b.get("judgments", [])
    return bool(
        a.get("id") == topic_id
        and {**a, "judgments": None} == {**b, "judgments": None}
        and isinstance(more, list)
        and isinstance(fewer, list)
        and len(more) == len(fewer) + 1
        and any(more[:place] + more[place + 1 :] == fewer for place in range(len(more)))
    )


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def _common_prefix(one: bytes, other: bytes) -> int:
    """Length of the common prefix."""
    length = min(len(one), len(other))
    if one[:length] == other[:length]:
        return length
    low, high = 0, length  # the first `low` agree, the first `high` do not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle)
    return low
