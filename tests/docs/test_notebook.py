"""The notebook in examples/ runs, and is stored without its outputs."""

import ast
import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

ROOT = Path(__file__).resolve().parents[2]
CELLS = json.loads((ROOT / "examples" / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
CODE = ["".join(cell["source"]) for cell in CELLS if cell["cell_type"] == "code"]


def _run(code: str, names: dict[str, Any]) -> str:
    """Run a cell, and give what a notebook would show of its last expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    console = Console(width=200, file=io.StringIO())
    console.print(value)
    return console.file.getvalue()


def test_the_notebook_publishes_searches_and_rejects_a_broken_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.mkdtemp", lambda: str(tmp_path))
    names: dict[str, Any] = {}
    shown = [_run(code, names) for code in CODE]
    printed = capsys.readouterr().out.splitlines()
    assert "manual.testset.yaml" in shown[0]
    assert printed[0].startswith("PASS: 5/5 queries (100%)")
    assert "nDCG@10" in shown[1]
    assert "https://coffee.example/manual/brewing#temperature" in shown[2].splitlines()[3]
    assert printed[1] == "https://coffee.example/manual/faults#e1-no-water"
    assert "fall in pages" in shown[3]


def test_the_notebook_is_stored_without_outputs() -> None:
    assert len(CODE) == 5
    for cell in CELLS:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
