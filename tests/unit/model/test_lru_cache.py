import pytest

from assay.model.lru_cache import LruCache


def test_what_was_used_longest_ago_is_dropped() -> None:
    cache = LruCache[str, int](2)
    cache.update({"a": 1, "b": 2})
    assert cache["a"] == 1
    cache["c"] = 3
    assert dict(cache) == {"a": 1, "c": 3}
    cache["a"] = 4
    cache["d"] = 5
    assert dict(cache) == {"a": 4, "d": 5}


def test_a_cache_without_capacity_keeps_nothing() -> None:
    cache = LruCache[str, int](0)
    cache["a"] = 1
    assert cache.get("a") is None
    assert len(cache) == 0
    with pytest.raises(KeyError):
        del cache["a"]
