"""What is packaged is all there, and every page says in the same way how an extra is installed."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.py")]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
EXTRAS = set(PROJECT["optional-dependencies"])
BUILT = PYPROJECT["tool"]["hatch"]["build"]["targets"]


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


def test_the_source_distribution_has_everything_of_the_checkout() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("needs a checkout by git")
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split(
        "\n"
    )
    # Hatchling adds these two itself.
    assert {path.split("/")[0] for path in tracked if path} - {"pyproject.toml", ".gitignore"} == set(
        BUILT["sdist"]["include"]
    )


def test_everything_that_the_wheel_takes_from_outside_the_package_exists() -> None:
    assert all((ROOT / source).exists() for source in BUILT["wheel"]["force-include"])
    assert (ROOT / "src" / "assay" / "py.typed").is_file()
    assert all((ROOT / name).is_file() for name in (PROJECT["readme"], *PROJECT["license-files"]))


def test_the_metadata_names_every_python_that_is_supported_and_no_address_that_there_is_not() -> None:
    lowest = PROJECT["requires-python"].removeprefix(">=")
    assert f"Programming Language :: Python :: {lowest}" in PROJECT["classifiers"]
    assert "Typing :: Typed" in PROJECT["classifiers"]
    assert "urls" not in PROJECT


def test_every_version_is_pinned() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.!+]+", line)] == []
    pinned = {re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower() for line in lines}
    needed = {re.match(r"[\w.-]+", text)[0].lower().replace("_", "-") for text in PROJECT["dependencies"]}  # type: ignore[index]
    assert needed <= pinned
