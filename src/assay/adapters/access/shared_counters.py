"""Counters and locks in one file that the worker processes of a server have mapped; POSIX only.

A counter costs some microseconds, needs no other process, and its lock ends when its process is killed.
"""

import fcntl
import mmap
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from struct import Struct
from threading import Lock

from limits.storage import Storage

from assay.model.workers import COUNTERS_BYTES, WorkerShare

_SLOT = Struct("16sdq")
"""A counter: hash of its key, end of its window in seconds since 1970, count."""

_SLOTS_PER_BUCKET = 16
_BUCKET_BYTES = _SLOT.size * _SLOTS_PER_BUCKET
_BUCKETS = COUNTERS_BYTES // _BUCKET_BYTES
"""Number of buckets: 16,384, for 262,144 counters."""


class ProcessLock:
    """A lock between threads and processes.

    It uses flock. The kernel searches fcntl's locks for deadlocks and does not tell the threads of a process apart: it
    would refuse the lock of a counter (EDEADLK) to a worker whose release another worker waits for.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held = -1

    def __enter__(self) -> None:
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except BaseException:
            os.close(descriptor)
            raise
        self._held = descriptor

    def __exit__(self, *exception: object) -> None:
        os.close(self._held)


def shared_counters(share: WorkerShare) -> Storage:
    """The counters of a server's workers."""
    return _SharedCounters(share)


class _SharedCounters(Storage):
    """Counters of all workers in a hash table of fixed size, which forgets the window that ends first when full.

    The hash is keyed, so that clients cannot choose addresses of one bucket.
    """

    STORAGE_SCHEME = None

    def __init__(self, share: WorkerShare) -> None:
        super().__init__()
        self._file = share.file
        self._secret = share.secret
        self._memory = mmap.mmap(share.file, COUNTERS_BYTES)
        self._lock = Lock()

    @property
    def base_exceptions(self) -> type[Exception]:
        return ValueError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        digest = self._digest(key)
        with self._locked(digest) as slots:
            now = time.time()
            offset, ends, count = self._find(slots, digest)
            if ends <= now:
                ends, count = now + expiry, 0
            _SLOT.pack_into(self._memory, offset, digest, ends, count + amount)
            return count + amount

    def get(self, key: str) -> int:
        ends, count = self._read(key)
        return count if ends > time.time() else 0

    def get_expiry(self, key: str) -> float:
        return max(self._read(key)[0], time.time())

    def check(self) -> bool:
        return True

    def reset(self) -> int | None:
        self._memory[:] = bytes(COUNTERS_BYTES)
        return None

    def clear(self, key: str) -> None:
        digest = self._digest(key)
        with self._locked(digest) as slots:
            offset, ends, _ = self._find(slots, digest)
            if ends > 0.0:
                _SLOT.pack_into(self._memory, offset, bytes(16), 0.0, 0)

    def _digest(self, key: str) -> bytes:
        return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16, key=self._secret).digest()

    def _read(self, key: str) -> tuple[float, int]:
        digest = self._digest(key)
        with self._locked(digest) as slots:
            _, ends, count = self._find(slots, digest)
            return ends, count

    @contextmanager
    def _locked(self, digest: bytes) -> Iterator[range]:
        """Lock a key's bucket; yields the offsets of its slots."""
        bucket = int.from_bytes(digest[:4]) % _BUCKETS
        first = bucket * _BUCKET_BYTES
        with self._lock:
            fcntl.lockf(self._file, fcntl.LOCK_EX, 1, bucket)
            try:
                yield range(first, first + _BUCKET_BYTES, _SLOT.size)
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, bucket)

    def _find(self, slots: range, digest: bytes) -> tuple[int, float, int]:
        """Offset, end and count of a counter; without one, the slot to use next, with 0.0 and 0."""
        earliest, chosen = float("inf"), slots.start
        for offset in slots:
            found, ends, count = _SLOT.unpack_from(self._memory, offset)
            if found == digest:
                return offset, ends, count
            if ends < earliest:
                earliest, chosen = ends, offset
        return chosen, 0.0, 0
