"""API keys in a file."""

import errno
import hashlib
import json
import logging
import os
import stat
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assay.adapters.access.key_file import KEY_PATTERN, KeyFile
from assay.errors import ConfigurationError, FileUnwritable, InputError
from assay.model.access import ApiKey, Scope


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "keys.json"


def test_a_key_is_found_by_itself_and_by_nothing_else(file: Path) -> None:
    keys = KeyFile(file)
    key, token = keys.add("website", [Scope.SEARCH])
    assert keys.find(token) == key
    wrong_secret = token[:-1] + ("a" if token[-1] != "a" else "b")
    for other in (
        "",
        "assay_",
        key.id,
        token[:-1],
        token + "a",
        wrong_secret,
        token.upper(),
        f" {token}",
        key.sha256,
        "ä",
    ):
        assert keys.find(other) is None


def test_a_key_has_a_prefix_an_id_and_256_bits(file: Path) -> None:
    key, token = KeyFile(file).add("website", [Scope.SEARCH])
    found = KEY_PATTERN.fullmatch(token)
    assert found
    assert found[1] == key.id
    assert 62 ** len(found[2]) > 2**256


def test_two_keys_have_nothing_in_common(file: Path) -> None:
    keys = KeyFile(file)
    tokens = {keys.add(f"key {number}", [Scope.SEARCH])[1] for number in range(50)}
    assert len({token.split("_")[1] for token in tokens}) == 50
    assert len({token.split("_")[2] for token in tokens}) == 50


def test_only_the_hash_is_kept_and_only_the_owner_can_read_it(file: Path) -> None:
    key, token = KeyFile(file).add("website", [Scope.SEARCH])
    content = file.read_text()
    assert token not in content
    assert token.split("_")[2] not in content
    assert hashlib.sha256(token.encode()).hexdigest() == key.sha256
    assert key.sha256 in content
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_what_is_kept_of_a_key_is_the_same_in_every_process(file: Path) -> None:
    expires = datetime(2999, 1, 1, tzinfo=UTC)
    key, token = KeyFile(file).add(
        "ops", [Scope.ADMIN, Scope.SEARCH], expires_at=expires, rate_limit="5/second", address_rate_limit="9/minute"
    )
    assert KeyFile(file).listed() == [key]
    assert KeyFile(file).find(token) == key
    assert key.scopes == {Scope.ADMIN, Scope.SEARCH}
    assert (key.expires_at, key.rate_limit, key.address_rate_limit) == (expires, "5/second", "9/minute")


def test_a_change_by_another_process_counts_from_the_next_look_on(file: Path) -> None:
    server, operator = KeyFile(file), KeyFile(file)
    assert server.listed() == []
    key, token = operator.add("website", [Scope.SEARCH])
    assert server.find(token) == key
    operator.revoke("website")
    assert server.find(token) is None
    _, token = operator.add("website", [Scope.SEARCH])
    assert server.find(token)
    file.unlink()
    assert server.find(token) is None


def test_a_key_is_revoked_by_id_or_name_and_the_others_stay(file: Path) -> None:
    keys = KeyFile(file)
    first, second, third = (keys.add(name, [Scope.SEARCH])[0] for name in ("a", "b", "c"))
    assert keys.revoke("b") == second
    assert keys.revoke(third.id) == third
    assert keys.listed() == [first]


def test_revoking_what_is_not_there_is_refused_without_repeating_a_key(file: Path) -> None:
    keys = KeyFile(file)
    _, token = keys.add("website", [Scope.SEARCH])
    with pytest.raises(InputError, match="There is no key 'nobody'"):
        keys.revoke("nobody")
    with pytest.raises(InputError) as caught:
        keys.revoke(token)
    assert token not in str(caught.value)


def test_a_key_ends_when_its_time_is_over(file: Path) -> None:
    keys = KeyFile(file)
    now = datetime.now(UTC)
    _, over = keys.add("over", [Scope.ADMIN], expires_at=now - timedelta(seconds=1))
    assert keys.find(over) is None
    assert not keys.has_admin()
    _, valid = keys.add("valid", [Scope.ADMIN], expires_at=now + timedelta(hours=1))
    assert keys.find(valid)
    assert keys.has_admin()
    assert [key.name for key in keys.listed()] == ["over", "valid"]


def test_admin_includes_search_and_not_the_other_way_round(file: Path) -> None:
    keys = KeyFile(file)
    admin, search = keys.add("a", [Scope.ADMIN])[0], keys.add("s", [Scope.SEARCH])[0]
    assert [key.allows(scope) for key in (admin, search) for scope in Scope] == [True, True, True, False]


@pytest.mark.parametrize("name", ["", " ", "x" * 101, "a\nb", "a\x1b[0m"])
def test_a_name_that_cannot_be_shown_is_refused(file: Path, name: str) -> None:
    with pytest.raises(InputError, match="name: it has to be 1 to 100 printable characters"):
        KeyFile(file).add(name, [Scope.SEARCH])
    assert not file.exists()


def test_a_name_is_taken_once(file: Path) -> None:
    keys = KeyFile(file)
    keys.add("website", [Scope.SEARCH])
    with pytest.raises(InputError, match="There is a key named 'website' already"):
        keys.add("website", [Scope.ADMIN])
    assert len(keys.listed()) == 1


@pytest.mark.parametrize("limit", ["", "5", "5/fortnight", "0/minute", "-1/minute", "5/minute;", "5 per minute"])
def test_a_rate_limit_that_is_none_is_refused(file: Path, limit: str) -> None:
    for name in ("rate_limit", "address_rate_limit"):
        with pytest.raises(InputError, match="rate limit: it has to look like 600/minute"):
            KeyFile(file).add("website", [Scope.SEARCH], **{name: limit})


def _entry(**changes: object) -> dict[str, object]:
    entry = {
        "id": "abcdefgh",
        "name": "x",
        "scopes": ["search"],
        "sha256": "0" * 64,
        "created_at": "2026-01-01T00:00:00+00:00",
        "expires_at": None,
        "rate_limit": None,
    }
    return {name: value for name, value in (entry | changes).items() if value != "gone"}


DAMAGE = {
    "empty": b"",
    "cut": b'{"version": 1, "keys": [{"id": "ab',
    "no object": b"[]",
    "null": b"null",
    "not UTF-8": b"\xff\xfe",
    "another version": json.dumps({"version": 2, "keys": []}).encode(),
    "no version": json.dumps({"keys": []}).encode(),
    "keys that are none": json.dumps({"version": 1, "keys": 5}).encode(),
    **{
        name: json.dumps({"version": 1, "keys": [_entry(**changes)]}).encode()
        for name, changes in {
            "no hash": {"sha256": "gone"},
            "a short hash": {"sha256": "00"},
            "a hash that is none": {"sha256": None},
            "an unknown scope": {"scopes": ["root"]},
            "a scope for each letter": {"scopes": "admin"},
            "no time": {"created_at": "yesterday"},
            "a time without zone": {"expires_at": "2026-01-01T00:00:00"},
            "a limit that is none": {"rate_limit": "many"},
            "a limit of addresses that is none": {"address_rate_limit": "many"},
            "a bad id": {"id": "A b"},
        }.items()
    },
}


def test_the_file_that_the_damaged_ones_are_made_of_can_be_read(file: Path) -> None:
    file.write_text(json.dumps({"version": 1, "keys": [_entry()]}))
    assert [key.id for key in KeyFile(file).listed()] == ["abcdefgh"]


@pytest.mark.parametrize("content", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_file_gives_no_key_and_says_what_to_do(file: Path, content: bytes) -> None:
    keys = KeyFile(file)
    _, token = keys.add("website", [Scope.SEARCH])
    whole = file.read_bytes()
    file.write_bytes(content)
    for _ in range(2):  # the second look finds the file as the first did
        with pytest.raises(
            ConfigurationError, match=r"are damaged: .* No key works until the file is repaired"
        ) as caught:
            keys.find(token)
    assert "`assay keys add`" in caught.value.hint
    with pytest.raises(ConfigurationError):
        keys.add("another", [Scope.SEARCH])
    assert file.read_bytes() == content
    file.write_bytes(whole)
    assert keys.find(token)


def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path) -> None:
    folder = tmp_path / "keys.json"
    folder.mkdir()
    with pytest.raises(ConfigurationError, match=r"The API keys in .*keys\.json cannot be read"):
        KeyFile(folder).find("assay_x")


def test_a_folder_that_cannot_be_written_is_named_with_the_setting(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(FileUnwritable, match="cannot be written") as caught:
        KeyFile(tmp_path / "taken" / "keys.json").add("x", [Scope.SEARCH])
    assert "[server] keys_file" in caught.value.hint


def test_keys_that_are_made_at_the_same_time_are_all_kept(file: Path) -> None:
    def add(number: int) -> None:
        KeyFile(file).add(f"key {number}", [Scope.SEARCH])

    threads = [threading.Thread(target=add, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {key.name for key in KeyFile(file).listed()} == {f"key {number}" for number in range(20)}


def test_a_reader_never_sees_half_a_file(file: Path) -> None:
    keys = KeyFile(file)
    _, token = keys.add("stays", [Scope.SEARCH])
    stop = threading.Event()
    seen: list[ApiKey | None] = []

    def look() -> None:
        reader = KeyFile(file)
        while not stop.is_set():
            seen.append(reader.find(token))

    looking = threading.Thread(target=look)
    looking.start()
    for number in range(30):
        keys.add(f"key {number}", [Scope.SEARCH])
    stop.set()
    looking.join()
    assert seen
    assert all(seen)


def test_what_fails_while_writing_leaves_the_keys_and_no_litter(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = KeyFile(file)
    key, _ = keys.add("website", [Scope.SEARCH])

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigurationError, match="No space left on device"):
        keys.add("another", [Scope.SEARCH])
    assert KeyFile(file).listed() == [key]
    assert sorted(path.name for path in file.parent.iterdir() if path.suffix != ".lock") == ["keys.json"]


@pytest.mark.skipif(os.name != "posix", reason="permissions of this kind are POSIX's")
def test_a_file_that_others_can_write_is_warned_of(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    KeyFile(file).add("website", [Scope.SEARCH])
    file.chmod(0o666)
    with caplog.at_level(logging.WARNING):
        KeyFile(file).listed()
    assert "chmod 600" in caplog.text


@pytest.mark.parametrize(("code", "hint"), [(errno.ENOSPC, "Free some space"), (errno.EACCES, "keys_file")])
def test_why_the_keys_cannot_be_written_says_what_to_do(
    file: Path, monkeypatch: pytest.MonkeyPatch, code: int, hint: str
) -> None:
    def fail(_: int) -> None:
        raise OSError(code, "no")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ConfigurationError) as failure:
        KeyFile(file).add("website", [Scope.SEARCH])
    assert hint in failure.value.hint
    assert not file.exists()


def test_a_key_file_that_is_nested_without_end_is_damaged(file: Path) -> None:
    file.write_text("[" * 100_000)
    with pytest.raises(ConfigurationError, match="are damaged"):
        KeyFile(file).find("assay_x")
