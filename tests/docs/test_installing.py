"""Every page and every message says in the same way how an extra is installed, and it is one that there is."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.py")]
EXTRAS = set(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"])


def test_extras_are_installed_from_the_checkout_for_no_registry_has_this_package() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {found}"
        for path in TEXTS
        for found in re.findall(r"assay\[\w+\]", path.read_text(encoding="utf-8"))
    ]
    assert wrong == []


def test_every_extra_that_is_named_can_be_installed() -> None:
    named = {found for path in TEXTS for found in re.findall(r"'\.\[(\w+)\]'", path.read_text(encoding="utf-8"))}
    assert {"qdrant", "postgres", "otel", "fastembed"} <= named <= EXTRAS
