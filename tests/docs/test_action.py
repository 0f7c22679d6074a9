"""The GitHub Action and its workflow: valid, without injected text, with commands that exist."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.command_lines import parse

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action" / "action.yml").read_text(encoding="utf-8"))
WORKFLOWS = ROOT / ".github" / "workflows"
WORKFLOW = yaml.safe_load((WORKFLOWS / "docs.yml").read_text(encoding="utf-8"))
SITE = yaml.safe_load((WORKFLOWS / "site.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
SCRIPTS = sorted((ROOT / "action").glob("*.sh"))


def test_every_input_is_described_has_a_default_and_is_used() -> None:
    used = set(re.findall(r"inputs\.([\w-]+)", str(STEPS)))
    assert used == set(ACTION["inputs"])
    assert all(given["description"] and "default" in given for given in ACTION["inputs"].values())


@pytest.mark.parametrize("step", [step for step in STEPS if "run" in step], ids=lambda step: step["name"])
def test_no_text_of_a_pull_request_becomes_shell(step: dict[str, Any]) -> None:
    assert "${{" not in step["run"]
    assert step["shell"] == "bash"
    assert set(re.findall(r"GITHUB_ACTION_PATH/(\w+\.sh)", step["run"])) <= {path.name for path in SCRIPTS}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_valid_and_stops_at_the_first_error(script: Path) -> None:
    assert "set -euo pipefail" in script.read_text(encoding="utf-8")
    assert subprocess.run(["bash", "-n", script], check=False, capture_output=True, text=True).stderr == ""


def test_no_python_imports_modules_from_the_checkout() -> None:
    texts = [script.read_text(encoding="utf-8") for script in SCRIPTS] + [step.get("run", "") for step in STEPS]
    options = re.findall(r"\bpython3?\"? (-\S*)", "\n".join(texts))
    assert options
    assert set(options) == {"-I"}


def test_the_script_calls_commands_that_exist_with_their_options() -> None:
    text = (ROOT / "action" / "measure.sh").read_text(encoding="utf-8")
    lines = re.findall(r"^\s*(?:\(.*&& )?assay ([^>|;)\n]+)", text, flags=re.MULTILINE)
    given = {
        '"${config[@]}"': "--config docs_site/assay.toml",
        '"${source[@]}"': "docs --name docs --base-url https://docs.example.org",
        '"${topics[@]}"': "--no-testset",
        '"${rule[@]}"': "--fail-if-worse any",
    }
    names = []
    for line in lines:
        for variable, words in given.items():
            line = line.replace(variable, words)  # noqa: PLW2901
        names.append(parse(line))
    assert names == ["publish", "ingest", "testset derive", "validate", "compare"]


def test_the_workflow_uses_the_action_of_this_checkout_with_inputs_that_it_has() -> None:
    (job,) = WORKFLOW["jobs"].values()
    checkout, action = job["steps"]
    assert checkout["uses"].startswith("actions/checkout@v")
    assert (ROOT / action["uses"] / "action.yml").is_file()
    assert set(action["with"]) <= set(ACTION["inputs"])
    assert (ROOT / action["with"]["config"]).is_file()
    assert (ROOT / action["with"]["testset"]).is_file()


def test_the_workflow_may_read_the_code_and_comment_and_nothing_else() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read", "pull-requests": "write"}
    # YAML 1.1 reads `on` as true. pull_request_target would give a fork's code the token of the base.
    assert set(WORKFLOW[True]) == {"pull_request"}


def test_the_site_is_published_only_after_its_gate() -> None:
    names = [step.get("name", "") for step in SITE["jobs"]["build"]["steps"]]
    gate = SITE["jobs"]["build"]["steps"][names.index("Gate")]["run"]
    assert names.index("Gate") < names.index("Build")
    assert SITE["jobs"]["publish"]["needs"] == "build"
    assert [parse(line) for line in re.findall(r"bin/assay (.+)", gate)] == ["publish"]
    assert set(SITE[True]["push"]["branches"]) == {"main"}
