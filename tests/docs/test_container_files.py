"""Dockerfile and compose.yaml: pinned, without rights, without secrets, and with commands that exist."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.settings import Settings
from assay.version import __version__
from tests.command_lines import parse

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


def _instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, each with what follows it."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)).splitlines()
    return [(word, " ".join(rest.split())) for word, _, rest in (line.partition(" ") for line in lines if line.strip())]


INSTRUCTIONS = _instructions()
BUILD = [i for i, (word, _) in enumerate(INSTRUCTIONS) if word == "FROM"]
FINAL = INSTRUCTIONS[BUILD[-1] :]


def _last(word: str) -> str:
    return next(rest for found, rest in reversed(FINAL) if found == word)


def test_both_stages_have_one_base_image_of_a_pinned_version() -> None:
    bases = {rest.split()[0] for word, rest in INSTRUCTIONS if word == "FROM"}
    assert len(bases) == 1
    assert re.fullmatch(r"python:3\.\d+-slim-\w+", bases.pop())


def test_the_image_installs_the_pinned_versions_and_extras_that_there_are() -> None:
    install = next(rest for word, rest in INSTRUCTIONS if word == "RUN" and " install " in rest)
    extras = re.search(r"'\.\[([\w,]+)\]'", install)
    assert "--constraint constraints.txt" in install
    assert extras
    assert {"qdrant", "postgres"} <= set(extras[1].split(","))


def test_everything_that_is_copied_exists_and_is_not_ignored() -> None:
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    copied = [
        name for word, rest in INSTRUCTIONS if word == "COPY" and "--from" not in rest for name in rest.split()[:-1]
    ]
    assert sorted(Path(name).name for name in copied) == sorted(kept)
    assert all((ROOT / name).exists() for name in copied)


def test_the_process_is_neither_root_nor_able_to_write_but_into_the_volume() -> None:
    assert _last("USER") == "10001"
    assert "--uid 10001" in _last("RUN")
    assert _last("VOLUME") == "/data"
    assert "PYTHONDONTWRITEBYTECODE=1" in _last("ENV")
    assert "--chown" not in str(FINAL)


def test_the_health_check_asks_whether_searches_are_answered_on_the_port_that_is_served() -> None:
    command = json.loads(_last("CMD"))
    check = json.loads(_last("HEALTHCHECK").partition("CMD ")[2])
    port = command[command.index("--port") + 1]
    assert f"http://127.0.0.1:{port}/readyz" in check[-1]
    assert _last("EXPOSE") == port
    compile(check[-1], "check", "exec")


def test_the_image_runs_a_command_that_exists_with_settings_that_exist() -> None:
    assert json.loads(_last("ENTRYPOINT")) == ["assay"]
    assert parse(json.loads(_last("CMD"))) == "serve"
    names = re.findall(r"(ASSAY_\w+)=", _last("ENV"))
    assert names
    for name in names:
        table, _, key = name.removeprefix("ASSAY_").lower().partition("__")
        field = Settings.model_fields[table]
        assert not key or key in field.annotation.model_fields


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_has_a_pinned_image_a_health_check_and_no_rights(name: str) -> None:
    service = SERVICES[name]
    assert re.search(r":v?\d+\.\d+", service["image"])
    assert "healthcheck" in service or service["image"] == f"assay:{__version__}"
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert not service.get("privileged")


def test_only_loopback_is_published_and_only_the_search() -> None:
    assert {name: service["ports"] for name, service in SERVICES.items() if "ports" in service} == {
        "serve": ["127.0.0.1:8080:8080"]
    }


def test_no_secret_is_in_the_file_and_none_has_a_default() -> None:
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    assert re.findall(r"\$\{(\w+):?[^?}]*\}", text) == []
    assert set(re.findall(r"\$\{(\w+):\?", text)) == {"QDRANT_API_KEY", "POSTGRES_PASSWORD"}
    for service in SERVICES.values():
        for key, value in service["environment"].items():
            if re.search("KEY|PASSWORD|DATABASE_URL", key):
                assert ":?" in value, key


def test_every_volume_is_declared_and_every_store_has_one() -> None:
    used = {volume.split(":")[0] for service in SERVICES.values() for volume in service["volumes"] if volume[0] != "."}
    assert used == set(COMPOSE["volumes"])
    assert {"qdrant", "postgres"} <= used


def test_assay_waits_until_both_stores_are_healthy() -> None:
    for name in ("serve", "publish"):
        waits = SERVICES[name]["depends_on"]
        assert {store: wait["condition"] for store, wait in waits.items()} == {
            "qdrant": "service_healthy",
            "postgres": "service_healthy",
        }


def test_the_job_runs_a_command_that_exists() -> None:
    assert parse(SERVICES["publish"]["command"]) == "publish"


def test_the_check_of_qdrant_is_valid_shell() -> None:
    program, flag, script = SERVICES["qdrant"]["healthcheck"]["test"][1:]
    assert (program, flag) == ("bash", "-c")
    assert "/readyz" in script
    assert shlex.split(script)
