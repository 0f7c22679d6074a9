"""How a Qdrant server may be named, and with which key."""

from dataclasses import replace

import pytest
from tests.qdrant_stores import ACCESS

from assay.errors import ConfigurationError


@pytest.mark.parametrize("around", ["{}\n", " {}", "{}\r\n", "\t{} "])
def test_space_around_a_key_is_no_part_of_it(around: str) -> None:
    assert replace(ACCESS, api_key=around.format("qdr-secret")).api_key == "qdr-secret"


def test_a_key_of_nothing_but_space_is_none() -> None:
    assert replace(ACCESS, api_key=" \n").api_key is None


@pytest.mark.parametrize("key", ["qdr-\nsecret", "qdr-sécret", "qdr-\x00secret", "qdr-secret-\u2026"])
def test_a_key_that_no_header_carries_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(ConfigurationError, match="contains an invalid character") as refusal:
        replace(ACCESS, api_key=key)
    assert "secret" not in str(refusal.value)
    assert "QDRANT_API_KEY" in refusal.value.hint
