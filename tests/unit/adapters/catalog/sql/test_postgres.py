"""Which URLs name a Postgres database, what they may say, and that a password in them is kept."""

import sys

import pytest
from tests.postgres import catalog_options

from assay.adapters.catalog.sql.database import Database, connect
from assay.adapters.catalog.sql.postgres import connector, display_name
from assay.errors import ConfigurationError
from assay.settings import CatalogSettings

needs_driver = pytest.mark.usefixtures("_driver")


@pytest.fixture
def _driver() -> None:
    pytest.importorskip("psycopg", reason="needs the driver, psycopg[binary]")


def parameters(url: str, **options: object) -> dict[str, str]:
    return dict(connector(url, catalog_options(**options)).parameters)


def database(url: str) -> Database:
    return connect(url, create=True, options=catalog_options())


@needs_driver
@pytest.mark.parametrize(
    "scheme",
    ["postgres", "postgresql", "POSTGRESQL", "postgresql+psycopg", "postgresql+psycopg2", "postgresql+asyncpg"],
)
def test_every_spelling_of_the_scheme_is_taken(scheme: str) -> None:
    opened = database(f"{scheme}://me:secret@host:5433/docs")
    assert (opened.path, opened.name) == (None, "postgresql://me:***@host:5433/docs")
    opened.close()


@needs_driver
def test_what_libpq_understands_is_passed_on() -> None:
    said = parameters(
        "postgres://me:p%40ss%2Fw%25rd@host/docs?sslmode=verify-full&sslrootcert=%2Fca.pem&channel_binding=require"
        "&options=endpoint%3Dep-1&connect_timeout=3&application_name=mine&target_session_attrs=read-write"
    )
    assert said["password"] == "p@ss/w%rd"
    assert (said["sslmode"], said["sslrootcert"], said["channel_binding"]) == ("verify-full", "/ca.pem", "require")
    assert (said["options"], said["connect_timeout"]) == ("endpoint=ep-1", "3")
    assert (said["application_name"], said["target_session_attrs"]) == ("mine", "read-write")


@needs_driver
def test_a_url_may_name_several_hosts_or_a_socket() -> None:
    several = parameters("postgresql://me:secret@a:5432,b:5433/docs")
    assert (several["host"], several["port"]) == ("a,b", "5432,5433")
    assert display_name(several) == "postgresql://me:***@a:5432,b:5433/docs"
    socket = parameters("postgresql://me@/docs?host=/run/postgresql")
    assert display_name(socket) == "postgresql://me@/docs?host=/run/postgresql"
    assert display_name(parameters("postgresql://host/docs")) == "postgresql://host/docs"


@needs_driver
def test_connections_that_died_are_noticed_and_connecting_ends_unless_the_url_says_otherwise() -> None:
    usual = parameters("postgresql://host/docs", connect_seconds=7)
    assert (usual["connect_timeout"], usual["keepalives_idle"], usual["application_name"]) == ("7", "30", "assay")
    assert int(usual["tcp_user_timeout"]) == 60_000
    assert parameters("postgresql://host/docs?keepalives_idle=5")["keepalives_idle"] == "5"


@needs_driver
@pytest.mark.parametrize(
    ("query", "name", "value"),
    [
        ("ssl=true", "sslmode", "require"),
        ("ssl=verify-full", "sslmode", "verify-full"),
        ("schema=docs&options=-cwork_mem%3D8MB", "options", "-cwork_mem=8MB"),
        ("pgbouncer=true&connection_limit=1&sslmode=require", "sslmode", "require"),
    ],
)
def test_parameters_for_other_drivers_are_understood_or_left_out(query: str, name: str, value: str) -> None:
    said = parameters(f"postgresql://host/docs?{query}")
    assert said[name] == value
    assert not {"ssl", "schema", "pgbouncer", "connection_limit"} & said.keys()


@needs_driver
def test_the_schema_of_the_settings_wins_over_that_of_the_url() -> None:
    url = "postgresql://host/docs?schema=theirs"
    assert connector(url, catalog_options(schema_name="ours")).schema == "ours"
    assert connector(url, catalog_options()).schema == "theirs"


@needs_driver
@pytest.mark.parametrize("schema", ["Docs", "1docs", "a b", "a,b", "a" * 64, "x;drop"])
def test_a_schema_needs_a_plain_name(schema: str) -> None:
    with pytest.raises(ConfigurationError, match="lower-case letters"):
        parameters(f"postgresql://host/docs?schema={schema}")


@needs_driver
@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:secret@host:port/docs",
        "postgresql://me:secret@host:99999/docs",
        "postgresql://me:secret@host/docs?sslmodus=require",
        "postgresql://me:secret%zz@host/docs",
        "postgresql://me:secret@[::1/docs",
        "postgresql://me:so@secret@host/docs",
        "postgresql://me:so?secret@host/docs",
        "postgresql://me:so/secret@host/docs",
    ],
)
def test_what_is_wrong_with_a_url_is_said_without_repeating_it(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        database(url)
    assert "secret" not in str(caught.value)
    assert caught.value.hint


@needs_driver
def test_an_unknown_parameter_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"does not know: sslmodus\..*DATABASE_URL"):
        database("postgresql://host/docs?sslmodus=require")


@needs_driver
def test_no_representation_shows_a_password() -> None:
    url = "postgresql://me:secret@host/docs"
    opened = database(url)
    reached = connector(url, catalog_options())
    shown = repr([opened, opened.name, opened.engine, opened.engine.url, reached, CatalogSettings(url=url)])
    assert "secret" not in shown
    opened.close()


def test_without_its_driver_postgres_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "assay.adapters.catalog.sql.driver", raising=False)
    with pytest.raises(ConfigurationError, match=r"psycopg, which is not installed.*pip install"):
        database("postgresql://me:secret@host/docs")
