"""The settings of the server as it stands on a public address."""

from ipaddress import ip_network
from pathlib import Path

import pytest

from assay.errors import ConfigurationError
from assay.settings import TRACE_VARIABLES, load_settings


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ASSAY_DATA_DIR", *TRACE_VARIABLES):
        monkeypatch.delenv(name, raising=False)


def test_keys_are_beside_the_index_unless_told_otherwise(tmp_path: Path) -> None:
    assert load_settings().keys_path == Path(".assay/keys.json")
    config = tmp_path / "conf" / "assay.toml"
    config.parent.mkdir()
    config.write_text('[server]\nkeys_file = "secrets/keys.json"\n', encoding="utf-8")
    assert load_settings(config).keys_path == tmp_path / "conf" / "secrets" / "keys.json"


@pytest.mark.parametrize("limit", ["1/second", "600/minute", "20/second, 600/minute", "20/second,5/day", "off"])
def test_a_rate_limit_is_written_as_a_number_for_a_time(limit: str) -> None:
    assert load_settings(None, {"server": {"rate_limit": limit, "key_rate_limit": limit}}).server.rate_limit == limit


@pytest.mark.parametrize(
    "limit", ["", "0/minute", "600", "600 per minute", "600/fortnight", "600/minute;", "-1/second", "5/day\n"]
)
@pytest.mark.parametrize("name", ["rate_limit", "key_rate_limit"])
def test_another_rate_limit_is_refused_by_name(name: str, limit: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"server\.{name}"):
        load_settings(None, {"server": {name: limit}})


def test_a_limit_that_the_settings_take_is_one_that_the_counter_takes() -> None:
    from assay.adapters.access.request_limits import RequestLimits

    for limit in ("1/second", "999999999/day", "20/second, 600/minute,7/hour", "off"):
        load_settings(None, {"server": {"rate_limit": limit}})
        RequestLimits().count(limit, "a")


def test_proxies_are_addresses_or_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_SERVER__TRUSTED_PROXIES", '["127.0.0.1", "10.0.0.0/8", "fd00::/8"]')
    assert load_settings().server.trusted_proxies == tuple(map(ip_network, ("127.0.0.1", "10.0.0.0/8", "fd00::/8")))


@pytest.mark.parametrize("proxy", ["proxy.internal", "10.0.0.0/33", "*", "10.0.0.1/8"])
def test_what_is_no_network_is_refused(proxy: str) -> None:
    with pytest.raises(ConfigurationError, match=r"server\.trusted_proxies"):
        load_settings(None, {"server": {"trusted_proxies": [proxy]}})


@pytest.mark.parametrize(("written", "read"), [("true", True), ("false", False), ("hash", "hash")])
def test_queries_are_logged_hashed_or_left_out(monkeypatch: pytest.MonkeyPatch, written: str, read: object) -> None:
    monkeypatch.setenv("ASSAY_SERVER__LOG_QUERIES", written)
    assert load_settings().server.log_queries == read


@pytest.mark.parametrize("variable", TRACE_VARIABLES)
def test_opentelemetrys_own_variable_turns_traces_on(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    assert not load_settings().server.traces
    monkeypatch.setenv(variable, "http://127.0.0.1:4318")
    assert load_settings().server.traces
    assert not load_settings(None, {"server": {"traces": False}}).server.traces
    monkeypatch.setenv(variable, "")
    assert not load_settings().server.traces


@pytest.mark.parametrize("name", ["head_seconds", "body_seconds", "max_requests", "max_connections"])
@pytest.mark.parametrize("value", [0, -1, "x"])
def test_a_limit_of_nothing_is_refused(name: str, value: object) -> None:
    with pytest.raises(ConfigurationError, match=rf"server\.{name}"):
        load_settings(None, {"server": {name: value}})


@pytest.mark.parametrize(
    "origin", ["evil", "docs.example.org", "https://docs.example.org/", "https://a b", "https://*.a", ""]
)
def test_what_no_browser_sends_as_an_origin_is_refused(origin: str) -> None:
    with pytest.raises(ConfigurationError, match=r"server\.cors_origins.* is not an origin"):
        load_settings(None, {"server": {"cors_origins": ["*", origin]}})


@pytest.mark.parametrize(
    "origin", ["*", "https://docs.example.org", "http://localhost:3000", "http://[::1]:80", "null"]
)
def test_what_a_browser_sends_as_an_origin_is_taken(origin: str) -> None:
    assert load_settings(None, {"server": {"cors_origins": [origin]}}).server.cors_origins == (origin,)


@pytest.mark.parametrize("url", ["redis://:pw@host:6379/0", "rediss://host", "redis+unix:///run/redis.sock"])
def test_requests_are_counted_in_a_redis(url: str) -> None:
    assert load_settings(None, {"server": {"rate_limit_storage": url}}).server.rate_limit_storage == url


def test_requests_are_counted_in_nothing_but_redis() -> None:
    with pytest.raises(ConfigurationError, match=r"server\.rate_limit_storage"):
        load_settings(None, {"server": {"rate_limit_storage": "memcached://host"}})
