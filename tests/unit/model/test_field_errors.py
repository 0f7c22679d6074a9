"""Fields that break a rule are named as they are written."""

import pytest

from assay.model.field_errors import field_error, field_path


@pytest.mark.parametrize(
    ("location", "path"),
    [(("filters", "versions", 0), "filters.versions[0]"), ((0, "id"), "[0].id"), (("top_k",), "top_k"), ((), "body")],
)
def test_a_field_is_named_by_its_path(location: tuple[int | str, ...], path: str) -> None:
    assert field_path(location, "body") == path


@pytest.mark.parametrize("message", ["Value error, It has to be 1.", "It has to be 1."])
def test_a_message_becomes_the_end_of_a_sentence(message: str) -> None:
    assert field_error(message) == "it has to be 1."
