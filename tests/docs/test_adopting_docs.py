"""docs/adopting.md says what the code does."""

import re
from pathlib import Path

import pytest

from assay.adapters.stores.adopted.presets import PRESETS
from assay.cli.commands.adoption import FALLBACKS
from assay.settings import load_settings
from assay.validation.survey import KINDS, survey
from tests.docs.pages import DOCS

PAGE = (DOCS / "adopting.md").read_text(encoding="utf-8")
SENTENCES = " ".join(PAGE.split())
EXAMPLES = re.findall(r"```toml\n(.+?)```", PAGE, re.DOTALL)


def rows(title: str) -> list[list[str]]:
    """The cells of the table under a heading of the second level."""
    section = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if line.startswith("| `")]


def test_every_preset_is_there_with_the_keys_by_which_it_is_known_in_the_order_in_which_they_are_tried() -> None:
    told = [(name, tuple(re.findall(r"`(\w+)`", keys))) for name, keys, _ in rows("Presets")]
    assert told == [(f"`{preset.name}`", preset.signature) for preset in PRESETS.values()]


def test_positions_from_1_are_told() -> None:
    told = {name.strip("`") for name, _, made in rows("Presets") if "positions from 1" in made}
    assert told == {preset.name for preset in PRESETS.values() if preset.mapping.first_position == 1}


def test_every_stand_in_is_told_in_the_doctors_words() -> None:
    told = rows("Missing fields")
    assert told == [[f"`{name}`", words] for name, words in FALLBACKS.items()]


@pytest.mark.parametrize("promise", KINDS.values())
def test_every_look_of_the_doctor_is_told(promise: str) -> None:
    assert promise in SENTENCES


def test_the_size_of_the_sample_is_told() -> None:
    assert survey.__kwdefaults__ is not None
    assert f"{survey.__kwdefaults__['keep']} texts from all over the collection" in SENTENCES


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_understood(tmp_path: Path, example: str) -> None:
    file = tmp_path / "assay.toml"
    file.write_text(example, encoding="utf-8")
    assert load_settings(file).index.adopt == "my_collection"


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 2
