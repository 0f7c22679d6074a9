"""One judgment more in a test-set file, and that one out again: byte for byte, also where others write to it too."""

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import FileLock, Timeout

from assay.adapters.testset_files.loading import form_of, parse
from assay.adapters.testset_files.text_file import read_text, replace_file
from assay.errors import InputError

_PATIENCE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Addition:
    """A judgment that was added to a file.

    at, removed, inserted: the bytes of the file that it took the place of (mostly none), where, and what stands there
        now.
    after: SHA-256 of the file with it.
    """

    path: Path
    topic_id: str
    at: int
    removed: bytes
    inserted: bytes
    after: str


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Within the block no other process of this user that asks for it writes to the file.

    The lock is in the system's folder for temporary files, for none should stand beside a file under version control.

    Raises InputError when another one does not let go of it.
    """
    name = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:24]
    user = getattr(os, "getuid", int)()
    lock = FileLock(Path(tempfile.gettempdir()) / f"assay-testset-{user}-{name}.lock", timeout=_PATIENCE_SECONDS)
    try:
        lock.acquire()
    except Timeout:
        raise InputError(
            f"{path} is being written to by another process, which does not come to an end.", hint="Try again."
        ) from None
    except OSError as error:
        raise InputError(f"{path} cannot be locked: {error.strerror}.") from None
    try:
        yield
    finally:
        lock.release()


def added(path: Path, topic_id: str, append: Callable[[], None]) -> Addition:
    """Add a judgment by `append`, and remember what that changed; called within `alone`. Raises what it raises."""
    before = path.read_bytes()
    append()
    after = path.read_bytes()
    at = _shared(before, after)
    end = _shared(before[at:][::-1], after[at:][::-1])
    return Addition(path, topic_id, at, before[at : len(before) - end], after[at : len(after) - end], _digest(after))


def taken_back(addition: Addition, *, text_keys: frozenset[str], free_key: str) -> None:
    """Take a judgment out again; to be called within `alone`.

    Where nothing else has changed the file since, it is as it was before, byte for byte. Else what was written is
    looked for and taken out, if the file then says what it says now without that judgment.

    Raises InputError where that is not certain; then the file is as it was.
    """
    file = read_text(addition.path)
    if _digest(file.raw) == addition.after:
        end = addition.at + len(addition.inserted)
        replace_file(addition.path, file.raw[: addition.at] + addition.removed + file.raw[end:])
        return
    form = form_of(addition.path)
    now = parse(file, form, text_keys=text_keys, free_key=free_key)
    for raw in _without(file.raw, addition):
        with suppress(UnicodeDecodeError):
            then = replace(file, text=raw[len(file.mark) :].decode(file.encoding))
            parsed = parse(then, form, text_keys=text_keys, free_key=free_key)
            if not parsed.problems and _is_less_one(now.value, parsed.value, addition.topic_id):
                replace_file(addition.path, raw)
                return
    raise _changed(addition)


def _without(raw: bytes, addition: Addition) -> Iterator[bytes]:
    """What the file may be without the judgment.

    It is without all that was written; or, if others have added to that, without the judgment and what parts it from
    theirs.
    """
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
        f"{addition.path} was changed since by somebody else, so that judgment of the topic {addition.topic_id} cannot "
        "be taken back for certain; it is still there.",
        hint="Take it out in an editor: it is among the last of that topic.",
    )


def _is_less_one(now: object, then: object, topic_id: str) -> bool:
    """Whether one body says what another does without one judgment of a topic."""
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


def _shared(one: bytes, other: bytes) -> int:
    """How many bytes two have in common from their beginning."""
    length = min(len(one), len(other))
    if one[:length] == other[:length]:
        return length
    low, high = 0, length  # the first `low` agree, the first `high` do not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle)
    return low
