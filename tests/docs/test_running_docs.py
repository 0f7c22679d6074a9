"""What docs/running.md shows is valid: units, the crontab, the manifests, the workflow and every command."""

import configparser
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.version import __version__
from tests.command_lines import parse

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


def _blocks(language: str) -> list[str]:
    return [text for found, text in BLOCKS if found == language]


UNITS = dict(
    zip(re.findall(r"^`/etc/systemd/system/([\w.-]+)`:", PAGE, flags=re.MULTILINE), _blocks("ini"), strict=True)
)
MANIFESTS: dict[str, dict[str, Any]] = {
    manifest["kind"]: manifest for manifest in yaml.safe_load_all(_blocks("yaml")[0])
}


def _unit(name: str) -> configparser.ConfigParser:
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(UNITS[name])
    return unit


def _commands() -> list[str]:
    """What follows `assay` in every command line of the page."""
    text = "\n".join(
        _blocks("console") + _blocks("cron") + [line for unit in UNITS.values() for line in unit.splitlines()]
    )
    direct = re.findall(r"(?:^\$ |/opt/assay/bin/)assay ([^>|#\n]+)", text, flags=re.MULTILINE)
    return [*direct, *re.findall(r"docker compose run --rm serve ([^>|#\n]+)", text)]


@pytest.mark.parametrize("line", _commands())
def test_a_command_of_the_page_exists_with_its_options(line: str) -> None:
    assert parse(line)


def test_the_units_are_a_server_a_job_and_its_timer() -> None:
    assert _unit("assay.service")["Service"]["ExecStart"].endswith("/assay serve")
    assert _unit("assay-publish.service")["Service"]["Type"] == "oneshot"
    assert "OnCalendar" in _unit("assay-publish.timer")["Timer"]
    assert {"assay.service", "assay-publish.timer"} <= set(
        " ".join(_blocks("console")).partition("enable --now ")[2].split()
    )


@pytest.mark.parametrize("name", ["assay.service", "assay-publish.service"])
def test_a_service_runs_without_rights_over_one_data_folder(name: str) -> None:
    service = _unit(name)["Service"]
    assert service["DynamicUser"] == service["NoNewPrivileges"] == "yes"
    assert service["ProtectSystem"] == "strict"
    assert f"ASSAY_DATA_DIR=/var/lib/{service['StateDirectory']}" in service["Environment"]


def _pods() -> list[dict[str, Any]]:
    return [
        MANIFESTS["Deployment"]["spec"]["template"]["spec"],
        MANIFESTS["CronJob"]["spec"]["jobTemplate"]["spec"]["template"]["spec"],
    ]


@pytest.mark.parametrize("pod", _pods(), ids=["Deployment", "CronJob"])
def test_a_pod_is_not_root_cannot_write_and_mounts_what_it_declares(pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["automountServiceAccountToken"] is False
    assert container["image"] == f"assay:{__version__}"
    assert container["securityContext"] == {
        "readOnlyRootFilesystem": True,
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }
    assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
    assert container["resources"]["limits"]["memory"]


def test_the_cluster_probes_readiness_and_life_apart_and_runs_one_job_at_a_time() -> None:
    serve, publish = (pod["containers"][0] for pod in _pods())
    assert serve["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert serve["livenessProbe"]["httpGet"]["path"] == "/livez"
    assert MANIFESTS["CronJob"]["spec"]["concurrencyPolicy"] == "Forbid"
    assert parse(publish["args"]) == "publish"


def test_the_manifests_belong_together() -> None:
    labels = MANIFESTS["Deployment"]["spec"]["template"]["metadata"]["labels"]
    assert MANIFESTS["Service"]["spec"]["selector"] == labels
    assert MANIFESTS["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    claim = next(volume for volume in _pods()[1]["volumes"] if volume["name"] == "data")["persistentVolumeClaim"]
    assert claim["claimName"] == MANIFESTS["PersistentVolumeClaim"]["metadata"]["name"]


def test_the_workflow_of_the_page_gives_inputs_that_the_action_has() -> None:
    action = yaml.safe_load((ROOT / "action" / "action.yml").read_text(encoding="utf-8"))
    workflow = yaml.safe_load(_blocks("yaml")[1])
    assert set(workflow["jobs"]["docs"]["steps"][1]["with"]) <= set(action["inputs"])
    named = set(re.findall(r"`(fail-[\w-]+)[:`]", PAGE))
    assert named <= set(action["inputs"])
