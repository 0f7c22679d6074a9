from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from assay.model.batches import batched


@given(st.lists(st.integers()), st.integers(1, 10))
def test_batches_hold_all_items_in_order_and_only_the_last_is_shorter(items: list[int], size: int) -> None:
    batches = list(batched(items, size))
    assert [one for batch in batches for one in batch] == items
    assert all(len(batch) == size for batch in batches[:-1])
    assert all(batches)


def test_no_more_is_read_than_was_asked_for() -> None:
    numbers = count()
    assert next(batched(numbers, 3)) == [0, 1, 2]
    assert next(numbers) == 3
