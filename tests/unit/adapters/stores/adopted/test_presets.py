"""Which payload points look like."""

from typing import get_args

import pytest
from tests.unit.adapters.stores.adopted.test_mapping import PAYLOADS

from assay.adapters.stores.adopted.mapping import FIELDS
from assay.adapters.stores.adopted.presets import PRESETS, list_keys, match_preset
from assay.adapters.stores.payload import to_payload
from assay.settings import IndexSettings, MappingSettings
from assay.testing.index_samples import points


@pytest.mark.contract("adopted.1", "adopted.2", "adopted.3", "adopted.4", "adopted.5")
@pytest.mark.parametrize("preset", PAYLOADS)
def test_each_payload_looks_like_its_own_preset(preset: str) -> None:
    preset_match = match_preset([PAYLOADS[preset]] * 3)
    assert preset_match is not None
    assert (preset_match.preset.name, preset_match.share) == (preset, 1.0)


def test_the_payload_of_assay_itself_is_known() -> None:
    preset_match = match_preset([to_payload(point.chunk) for point in points(3)])
    assert preset_match is not None
    assert preset_match.preset.name == "assay"


def test_a_few_points_of_another_kind_do_not_hide_the_preset() -> None:
    preset_match = match_preset([PAYLOADS["langchain"]] * 3 + [PAYLOADS["haystack"]] * 2)
    assert preset_match is not None
    assert (preset_match.preset.name, preset_match.share) == ("langchain", 0.6)


@pytest.mark.parametrize("payloads", [[{}], [{"body": "x"}], [PAYLOADS["langchain"], PAYLOADS["haystack"]]])
def test_points_of_no_known_kind_look_like_none(payloads: list[dict[str, object]]) -> None:
    assert match_preset(payloads) is None


def test_the_keys_of_points_are_named_the_commonest_first() -> None:
    assert list_keys([{"a": 1, "m": {"x": 1, "y": 2}}, {"m": {"y": 3}}]) == ["m.y", "a", "m.x"]


def test_the_settings_name_every_preset_and_every_field() -> None:
    literal = next(kind for kind in get_args(IndexSettings.model_fields["preset"].annotation) if get_args(kind))
    assert set(get_args(literal)) == set(PRESETS)
    assert set(MappingSettings.model_fields) == {*FIELDS, "first_position", "base_url"}
