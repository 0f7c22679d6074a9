"""Every alarm has a rule and a runbook, every metric and error a place in it, and every defence a test."""

import ast
import re
from pathlib import Path

import pytest
import yaml

from assay.adapters.telemetry.prometheus import Metrics
from tests.command_lines import parse

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
SECURITY = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
RULES = yaml.safe_load((ROOT / "examples" / "alerts.yaml").read_text(encoding="utf-8"))["groups"][0]["rules"]
RUNBOOK = PAGE.partition("## Alarms")[2]

FOR_DASHBOARDS = {
    "assay_build_info",
    "assay_embedder_call_seconds",
    "assay_embedder_texts",
    "assay_embedder_tokens",
    "assay_live_generation_age_seconds",
    "assay_live_generation_chunks",
    "assay_live_generation_documents",
    "assay_live_generation_promoted_timestamp_seconds",
    "assay_live_generation_sealed_timestamp_seconds",
}
"""Metrics that no alarm can be made of: without a change of the pages, a generation may grow as old as it likes."""


def _metrics() -> set[str]:
    """The names of Assay's own metrics, as they are written in the source."""
    source = (ROOT / "src" / "assay" / "adapters" / "telemetry" / "prometheus.py").read_text(encoding="utf-8")
    names = set(re.findall(r'"(assay_\w+)"', source)) - {"assay_build"}
    return (
        names
        | {f"assay_live_generation_{event}_timestamp_seconds" for event in ("sealed", "promoted")}
        | {"assay_build_info"}
    )


def test_every_metric_is_in_a_rule_a_runbook_or_named_as_one_for_dashboards() -> None:
    told = "\n".join(rule["expr"] for rule in RULES) + RUNBOOK
    assert {name for name in _metrics() if not re.search(rf"\b{name}(_total|_bucket)?\b", told)} == FOR_DASHBOARDS


def test_a_rule_asks_only_for_metrics_that_there_are() -> None:
    samples = Metrics(lambda: None).exposition("text/plain")[0].decode()
    typed = set(re.findall(r"^# TYPE (assay_\w+)", samples, flags=re.MULTILINE)) | _metrics()
    for rule in RULES:
        for name in re.findall(r"\bassay_\w+", rule["expr"]):
            assert {name, name.removesuffix("_total"), name.removesuffix("_bucket")} & typed, rule["alert"]


def test_every_rule_has_a_runbook_and_every_runbook_of_an_alarm_a_rule() -> None:
    headings = re.findall(r"^### (Assay\w+)$", RUNBOOK, flags=re.MULTILINE)
    assert headings == [rule["alert"] for rule in RULES]


def _errors() -> list[tuple[str, str]]:
    """File and message of every call of logger.error and logger.exception."""
    found = []
    for path in sorted((ROOT / "src" / "assay").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "logger.e" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in {"error", "exception", "critical"}
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "logger"
            ):
                message = node.args[0]
                assert isinstance(message, ast.Constant), path
                found.append((path.name, str(message.value)))
    return found


@pytest.mark.parametrize(("file", "message"), _errors(), ids=[message for _, message in _errors()])
def test_every_error_of_the_log_is_in_the_runbook(file: str, message: str) -> None:
    lines = re.findall(r"`([^`]+)`", RUNBOOK.partition("### Errors in the log")[2])
    beginning = re.sub(r"%\w", "…", message).split(":")[0].strip().rstrip(".")
    beginning = re.sub(r"within .*", "within …", beginning)
    assert beginning in [line.rstrip(".") for line in lines], f"{file}: {beginning}"


def test_every_part_that_health_checks_is_in_the_runbook() -> None:
    source = (ROOT / "src" / "assay" / "app" / "searching.py").read_text(encoding="utf-8")
    parts = set(re.findall(r'problems\.append\(f?"([a-z ]+):', source))
    table = RUNBOOK.partition("### `/health`")[2].partition("###")[0]
    assert parts == set(re.findall(r"^\| `([a-z ]+)` \|", table, flags=re.MULTILINE))


@pytest.mark.parametrize("page", ["operations", "security"])
def test_a_command_of_the_page_exists_with_its_options(page: str) -> None:
    text = PAGE if page == "operations" else SECURITY
    for line in re.findall(r"`assay ([a-z][^`…]*)`", text):
        parse(line.replace(" N", " 10"))


def test_every_defence_names_tests_that_exist() -> None:
    rows = [row.split(" | ") for row in re.findall(r"^\| (?!threat|---)(.+) \|$", SECURITY, flags=re.MULTILINE)]
    assert len(rows) > 20
    for threat, _, proof in rows:
        named = re.findall(r"`(tests/[\w./]+)`", proof)
        assert named, threat
        assert all((ROOT / path).exists() for path in named), named
