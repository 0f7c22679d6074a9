"""`assay keys`: making, listing and revoking API keys."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.integration.cli.commands import Run

from assay.adapters.access.key_file import KEY_PATTERN, KeyFile
from assay.model.access import Scope


def test_a_key_is_printed_once_alone_on_standard_output(assay: Run, tmp_path: Path) -> None:
    said = assay("keys", "add", "website")
    assert said.code == 0
    token = said.out.strip()
    assert KEY_PATTERN.fullmatch(token)
    assert "shown only once" in said.err
    assert token not in said.err
    key = KeyFile(tmp_path / ".assay" / "keys.json").find(token)
    assert key
    assert (key.name, key.scopes, key.expires_at) == ("website", {Scope.SEARCH}, None)
    for command in (["keys", "list"], ["keys", "list", "--json"], ["keys", "revoke", "website", "--json"]):
        listed = assay(*command)
        assert token not in listed.out + listed.err
        assert key.sha256 not in listed.out + listed.err


def test_a_key_has_what_it_is_given(assay: Run, tmp_path: Path) -> None:
    said = assay(
        "keys",
        "add",
        "ops",
        "--scope",
        "admin",
        "--scope",
        "search",
        "--days",
        "30",
        "--rate-limit",
        "5/second",
        "--address-rate-limit",
        "9/minute",
        "--json",
    )
    assert said.code == 0
    expected = {"id", "name", "scopes", "created_at", "expires_at", "rate_limit", "address_rate_limit", "key"}
    assert said.body.keys() == expected
    key = KeyFile(tmp_path / ".assay" / "keys.json").find(said.body["key"])
    assert key
    assert key.scopes == {Scope.ADMIN, Scope.SEARCH}
    assert (key.rate_limit, key.address_rate_limit) == ("5/second", "9/minute")
    assert key.expires_at
    assert 29 <= (key.expires_at - datetime.now(UTC)).days <= 30


def test_keys_are_listed_for_people_and_programs(assay: Run) -> None:
    assert "There are no keys" in assay("keys", "list").err
    assert assay("keys", "list", "--json").body == {"keys": []}
    assay("keys", "add", "[red]website[/]")
    assay("keys", "add", "operator", "--scope", "admin")
    table = assay("keys", "list").out
    assert "[red]website[/]" in table
    assert "admin" in table
    assert [(key["name"], key["scopes"]) for key in assay("keys", "list", "--json").body["keys"]] == [
        ("[red]website[/]", ["search"]),
        ("operator", ["admin"]),
    ]


def test_a_revoked_key_is_gone_and_revoking_it_again_is_wrong_use(assay: Run, tmp_path: Path) -> None:
    token = assay("keys", "add", "website").out.strip()
    assert assay("keys", "revoke", "website").code == 0
    assert KeyFile(tmp_path / ".assay" / "keys.json").find(token) is None
    again = assay("keys", "revoke", "website", "--json")
    assert again.code == 2
    assert again.body["error"] == "validation_error"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["keys", "add", ""], "name: it has to be"),
        (["keys", "add", "x", "--scope", "root"], "root"),
        (["keys", "add", "x", "--days", "0"], "greater than or equal to 1"),
        (["keys", "add", "x", "--rate-limit", "lots"], "600/minute"),
        (["keys", "add", "x", "--address-rate-limit", "lots"], "600/minute"),
        (["keys", "add"], "name"),
    ],
)
def test_what_cannot_be_is_wrong_use_and_makes_nothing(
    assay: Run, tmp_path: Path, arguments: list[str], word: str
) -> None:
    said = assay(*arguments)
    assert said.code == 2
    assert word in said.err
    assert not (tmp_path / ".assay" / "keys.json").exists()


def test_the_settings_say_where_the_keys_are(assay: Run, tmp_path: Path) -> None:
    with (tmp_path / "assay.toml").open("a", encoding="utf-8") as settings:
        settings.write('[server]\nkeys_file = "secrets/keys.json"\n')
    assert assay("keys", "add", "website").code == 0
    assert json.loads((tmp_path / "secrets" / "keys.json").read_text())["keys"][0]["name"] == "website"


def test_damaged_keys_are_told_with_what_to_do(assay: Run, tmp_path: Path) -> None:
    assay("keys", "add", "website")
    (tmp_path / ".assay" / "keys.json").write_text("{", encoding="utf-8")
    said = assay("keys", "list", "--json")
    assert said.code == 2
    assert said.body["error"] == "configuration_error"
    assert "assay keys add" in said.body["hint"]
