import gc
from collections.abc import Iterator

import pytest

from assay.web.serving.server import _reduce_gc


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


def test_loaded_objects_are_excluded_from_garbage_collection() -> None:
    loaded: list[object] = [{"loaded": []}]
    gc.set_threshold(700, 10, 10)
    _reduce_gc()
    assert gc.get_freeze_count() > 0
    assert not any(found is loaded for found in gc.get_objects())
    assert gc.get_threshold() == (20_000, 10, 10)
