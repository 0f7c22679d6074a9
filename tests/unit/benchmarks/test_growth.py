"""The bench of growth finds what is quadratic, and what it assumes of the patterns holds."""

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks import growth
from benchmarks.hostile_inputs import Hostile
from benchmarks.pattern_attacks import Pattern, attacks, patterns

import assay


class _Clock:
    """CPU time that passes as the work says, not as the machine has it."""

    def __init__(self, seconds: Callable[[int], float]) -> None:
        self._seconds = seconds
        self._now = 0.0

    def work(self, text: str) -> None:
        self._now += 0.001 + self._seconds(len(text))

    def __call__(self) -> float:
        return self._now


@pytest.mark.parametrize(
    ("seconds", "ratio"),
    [
        (lambda length: 1e-6 * length, 2.0),
        (lambda length: 1e-9 * length**2, 4.0),
        (lambda length: 1e-6 * length + 2e-11 * length**2, 3.4),
        (lambda length: 1e-13 * length**3, 8.0),
    ],
    ids=["linear", "quadratic", "quadratic in long texts only", "cubic"],
)
def test_growth_is_told_by_times(
    monkeypatch: pytest.MonkeyPatch, seconds: Callable[[int], float], ratio: float
) -> None:
    clock = _Clock(seconds)
    monkeypatch.setattr(growth, "process_time", clock)
    texts = [Hostile("a", lambda length: "a" * length)]
    found = growth.steepest("a reader", clock.work, texts, longest=1_024_000)
    assert found.ratio == pytest.approx(ratio, abs=0.4)
    assert any("TOO STEEP" in line for line in found.lines()) == (ratio > growth.LIMIT)


def test_a_single_step_of_the_allocator_is_no_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = _Clock(lambda length: 1e-8 * length + (0.03 if length > 700_000 else 0.0))
    monkeypatch.setattr(growth, "process_time", clock)
    texts = [Hostile("a", lambda length: "a" * length)]
    assert growth.steepest("a reader", clock.work, texts, longest=1_024_000).ratio < growth.LIMIT


def test_a_quadratic_pattern_meets_a_text_that_shows_it() -> None:
    pattern = Pattern("blanks", re.compile(r"a\s*b"), "search")
    texts = [text.text(20) for text in attacks(pattern)]
    assert any(re.fullmatch(r"a\s{15,}\0", text) for text in texts)


def test_every_pattern_of_the_package_is_tried() -> None:
    tried = {pattern.pattern.pattern for pattern in patterns()}
    missing = []
    for path in Path(assay.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            written = _constant_pattern(node)
            if written is not None and written not in tried:
                missing.append(f"{path.name}: {written!r}")
    assert not missing


def _constant_pattern(node: ast.AST) -> str | bytes | None:
    """What is given to a function of `re`, where it is written out."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
        return None
    if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "re" and node.func.attr != "escape"):
        return None
    written = node.args[0]
    return written.value if isinstance(written, ast.Constant) and isinstance(written.value, str | bytes) else None
