"""docs/releasing.md and docs/validation.md name every check of the gate."""

import ast
from collections.abc import Iterator
from pathlib import Path

import assay.validation
from tests.docs.pages import DOCS

PAGES = "\n".join((DOCS / name).read_text(encoding="utf-8") for name in ("releasing.md", "validation.md"))
MAKERS = {"finding", "make_finding", "Finding", "_bounded", "_rate"}


def checks() -> Iterator[str]:
    """The names of the findings that the modules of validation make."""
    for module in Path(assay.validation.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MAKERS and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str) and first.value:
                    yield first.value


def test_every_check_is_on_a_page() -> None:
    names = set(checks())
    assert len(names) > 30
    assert sorted(name for name in names if name not in PAGES) == []
