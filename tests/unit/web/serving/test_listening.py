"""Where a server may listen."""

import socket
from pathlib import Path

import pytest

from assay.app import Assay
from assay.errors import ConfigurationError
from assay.model.access import Scope
from assay.settings import Settings
from assay.web.serving.server import serve


def unopened(settings: Settings) -> Assay:
    """An Assay that must not start to serve: every test here ends before."""
    assay = Assay.open(settings)

    def start_serving() -> None:
        raise AssertionError("the address should have been refused before")

    assay.searches.start_serving = start_serving  # type: ignore[method-assign]
    return assay


PUBLIC_HOSTS = ["0.0.0.0", "::", "", "192.0.2.1", "2001:db8::1"]


def refusal(
    host: str, port: int = 0, *, allow_public: bool = False, settings: Settings | None = None
) -> ConfigurationError:
    with pytest.raises(ConfigurationError) as caught:
        serve(unopened(settings or Settings()), host, port, allow_public=allow_public)
    return caught.value


def with_key(folder: Path, *scopes: Scope) -> Settings:
    """Settings over a data directory in which there is a key."""
    settings = Settings(data_dir=folder)
    Assay.open(settings).parts.keys.add("operator", scopes)
    return settings


@pytest.mark.parametrize("host", PUBLIC_HOSTS)
def test_an_address_that_others_can_reach_is_refused_and_both_remedies_named(host: str, tmp_path: Path) -> None:
    error = refusal(host, settings=Settings(data_dir=tmp_path))
    assert "Other machines can reach" in error.message
    assert "anyone who reaches it can read what is indexed" in error.message
    assert "there is no API key with the scope `admin`" in error.message
    assert "--public" in error.hint
    assert "`assay keys add NAME --scope admin`" in error.hint


@pytest.mark.parametrize("host", PUBLIC_HOSTS)
def test_public_without_an_admin_key_is_refused_and_the_command_named(host: str, tmp_path: Path) -> None:
    error = refusal(host, allow_public=True, settings=with_key(tmp_path, Scope.SEARCH))
    assert "there is no API key with the scope `admin`" in error.message
    assert "anyone" not in error.message
    assert error.hint.endswith("create a key with `assay keys add NAME --scope admin`.")


@pytest.mark.parametrize("host", PUBLIC_HOSTS)
def test_an_admin_key_without_public_is_refused_and_the_option_named(host: str, tmp_path: Path) -> None:
    error = refusal(host, settings=with_key(tmp_path, Scope.ADMIN))
    assert "key with the scope" not in error.message
    assert "pass --public" in error.hint


@pytest.mark.parametrize("host", ["no such host", "x" * 300, "host..example", "\ud800"])
def test_a_name_without_an_address_is_refused_by_name(host: str) -> None:
    assert "Cannot resolve the address" in refusal(host).message


def test_an_occupied_port_is_named_with_the_way_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        error = refusal("127.0.0.1", port)
    assert error.message == f"Cannot listen on port {port} of 127.0.0.1: another program is already listening there."
    assert "--port 0" in error.hint


def test_an_address_of_another_machine_cannot_be_listened_on(tmp_path: Path) -> None:
    settings = with_key(tmp_path, Scope.ADMIN)
    assert "Cannot listen on port" in refusal("192.0.2.1", allow_public=True, settings=settings).message


def has_ipv6_loopback() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_a_loopback_address_is_listened_on(host: str) -> None:
    if host == "::1" and not has_ipv6_loopback():
        pytest.skip("this machine has no IPv6 loopback")
    with pytest.raises(AssertionError, match="refused before"):
        serve(unopened(Settings()), host, 0)


def test_a_public_address_is_listened_on_when_that_is_allowed_and_there_is_an_admin_key(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="refused before"):
        serve(unopened(with_key(tmp_path, Scope.ADMIN)), "0.0.0.0", 0, allow_public=True)
