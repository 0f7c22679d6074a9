import gc
from collections.abc import Iterator

import pytest

from assay.ingest.reduced_gc import reduced_gc


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_garbage_is_looked_for_seldom_until_the_block_is_left_however_it_is() -> None:
    def fail() -> None:
        with reduced_gc():
            assert gc.get_threshold() == (20_000, 11, 12)
            raise ValueError("left")

    gc.set_threshold(700, 11, 12)
    with pytest.raises(ValueError, match="left"):
        fail()
    assert gc.get_threshold() == (700, 11, 12)


@pytest.mark.parametrize("most", [0, 50_000], ids=["never", "seldomer"])
def test_a_wish_to_look_seldomer_is_kept(most: int) -> None:
    gc.set_threshold(most, 10, 10)
    with reduced_gc():
        assert gc.get_threshold()[0] == most
