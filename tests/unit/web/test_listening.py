"""Where a server may listen."""

import socket

import pytest

from assay.app import Assay
from assay.errors import ConfigurationError
from assay.settings import Settings
from assay.web.server import serve


class Unopened(Assay):
    """An Assay that must not be opened: every test here ends before."""

    def start_serving(self) -> None:
        raise AssertionError("the address should have been refused before")


def refusal(host: str, port: int = 0, *, allow_public: bool = False) -> ConfigurationError:
    with pytest.raises(ConfigurationError) as caught:
        serve(Unopened.open(Settings()), host, port, allow_public=allow_public)
    return caught.value


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.0.2.1", "2001:db8::1"])
def test_an_address_that_others_can_reach_is_refused_and_the_reason_given(host: str) -> None:
    error = refusal(host)
    assert "can be reached from other machines" in error.message
    assert "--public" in error.hint


@pytest.mark.parametrize("host", ["no such host", "x" * 300, "host..example", "\ud800"])
def test_a_name_without_an_address_is_refused_by_name(host: str) -> None:
    assert "There is no address" in refusal(host).message


def test_an_occupied_port_is_named_with_the_way_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        error = refusal("127.0.0.1", port)
    assert error.message == f"Port {port} on 127.0.0.1 cannot be listened on: another program listens there already."
    assert "--port 0" in error.hint


def test_an_address_of_another_machine_cannot_be_listened_on() -> None:
    assert "cannot be listened on" in refusal("192.0.2.1", allow_public=True).message


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
        serve(Unopened.open(Settings()), host, 0)


def test_a_public_address_is_listened_on_when_that_is_allowed() -> None:
    with pytest.raises(AssertionError, match="refused before"):
        serve(Unopened.open(Settings()), "0.0.0.0", 0, allow_public=True)
