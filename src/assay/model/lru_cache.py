"""A mapping of bounded size that evicts the least recently used entry."""

from collections import OrderedDict
from collections.abc import Iterator, MutableMapping
from threading import Lock
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LruCache(MutableMapping[K, V]):
    """A least-recently-used cache with at most `capacity` entries. Each operation is thread-safe.

    `functools.lru_cache` does not support computing many values in one call, or changing a value.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def __getitem__(self, key: K) -> V:
        with self._lock:
            self._entries.move_to_end(key)
            return self._entries[key]

    def __setitem__(self, key: K, value: V) -> None:
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            while len(self._entries) > self._capacity:
                self._entries.popitem(last=False)

    def __delitem__(self, key: K) -> None:
        with self._lock:
            del self._entries[key]

    def __iter__(self) -> Iterator[K]:
        with self._lock:
            return iter(list(self._entries))

    def __len__(self) -> int:
        return len(self._entries)
