"""Maps errors of Postgres and its driver, by code and message, to CatalogErrors."""

import re

from assay.errors import CatalogCorrupt, CatalogError, CatalogSchemaError, CatalogUnavailable

SCHEMA_HINT = "`assay ingest` upgrades the catalog to this version's schema; `assay doctor` shows details."

Fault = tuple[type[CatalogError], str, str]
"""Error class, message (continues "The catalog X …") and hint."""

_UNREACHABLE: Fault = (
    CatalogUnavailable,
    "cannot be reached",
    "Check that the server is running, and the host and port in DATABASE_URL or catalog.url.",
)
_REFUSED: Fault = (
    CatalogError,
    "refused the user or password",
    "Check both in DATABASE_URL or catalog.url; in a URL, characters such as @ : / ? # % have to be escaped.",
)
_NO_DATABASE: Fault = (
    CatalogError,
    "does not exist on that server",
    "Create the database with `createdb`, or correct its name in DATABASE_URL or catalog.url.",
)
_NO_RIGHTS: Fault = (
    CatalogError,
    "does not allow that to this user",
    "To serve, grant USAGE on the schema and SELECT on its tables; to build, let the user own the schema.",
)
_STARTING: Fault = (CatalogUnavailable, "is starting or shutting down", "Try again when the server is up.")
_OVERLOADED: Fault = (
    CatalogUnavailable,
    "is short of memory or connections",
    "Try again; decrease catalog.pool_size, or give the server more of them.",
)
_TLS: Fault = (
    CatalogError,
    "could not negotiate encryption",
    "Check sslmode, sslrootcert and similar parameters in DATABASE_URL or catalog.url.",
)

# https://www.postgresql.org/docs/current/errcodes-appendix.html; the longest matching prefix counts.
_STATES: dict[str, Fault] = {
    "08": _UNREACHABLE,
    "22": (CatalogError, "cannot hold a value that a page has", "Leave out the page that has it."),
    "23": (
        CatalogError,
        "refused a row that contradicts what it holds",
        "Another program may be writing to the same catalog; if not, this is a fault in Assay.",
    ),
    "25006": (CatalogError, "cannot be written", "This server is read-only: set the URL of the primary server."),
    "28": _REFUSED,
    "3D000": _NO_DATABASE,
    "3F": (
        CatalogError,
        "has no such schema, or does not let this user use it",
        "Create it and grant USAGE on it, or correct catalog.schema_name or the search_path in DATABASE_URL.",
    ),
    "40": (CatalogUnavailable, "was changed by another process at the same time", "Try again."),
    "42501": _NO_RIGHTS,
    "42703": (CatalogSchemaError, "has another schema than this version of Assay", SCHEMA_HINT),
    "42P01": (CatalogSchemaError, "has another schema than this version of Assay", SCHEMA_HINT),
    "53": _OVERLOADED,
    "53100": (CatalogError, "has no space left", "Free some space on the server and run the command again."),
    "55P03": (CatalogUnavailable, "is locked by another process", "Try again when that one is done."),
    "57": (CatalogUnavailable, "is shutting down or ended the request", "Try again when the server is up."),
    "58": (CatalogError, "cannot read or write its files", "See the server's log."),
    "XX": (CatalogCorrupt, "is damaged", "See the server's log."),
}

_OF_POOLERS = "08P01"
"""The code of most errors of PgBouncer, which only their messages tell apart."""

# A failed connection has no code, only a message of the server, a pooler or libpq; the first match counts.
_PATTERNS: tuple[tuple[str, Fault], ...] = (
    (r"unsupported startup parameter", (
        CatalogError,
        "is behind a pooler that does not pass on startup parameters",
        "Remove `options` from the URL, or use the server's own address; catalog.schema_name sets the schema.",
    )),
    (r"statement pooling mode", (
        CatalogError,
        "is behind a pooler in statement mode, which allows no transactions",
        "Set `pool_mode = transaction` (or session) in PgBouncer, or use the server's own address.",
    )),
    (r"query_wait_timeout", (
        CatalogUnavailable,
        "is behind a pooler that had no free connection",
        "Increase `default_pool_size` in PgBouncer, or use the server's own address; a build needs two connections.",
    )),
    (r"password authentication failed|no password supplied|authentication failed|no pg_hba\.conf entry", _REFUSED),
    (r'role ".*" does not exist|is not permitted to log in', _REFUSED),
    (r'database ".*" does not exist', _NO_DATABASE),
    (r"permission denied", _NO_RIGHTS),
    (r"too many (clients|connections)|remaining connection slots|no more connections", _OVERLOADED),
    (r"the database system is|not (yet )?accepting connections", _STARTING),
    (r"\bSSL\b|certificate|\bTLS\b", _TLS),
    (r"could not translate host name|failed to resolve host|Name or service not known", (
        CatalogUnavailable,
        "is on an unknown host",
        "Check the host's name in DATABASE_URL or catalog.url, and this machine's network.",
    )),
    (r"does not answer|no connection yet|timeout expired", (
        CatalogUnavailable,
        "does not answer in time",
        "Check whether the server is overloaded or the network is down.",
    )),
)  # fmt: skip


def fault_of(error: object, *, disconnected: bool) -> Fault | None:
    """Classify an error of the driver by its code or, if the connection failed, by its message.

    disconnected: whether connecting failed, or the error ended the connection.
    """
    state = getattr(error, "sqlstate", None) or ""
    fitting = [prefix for prefix in _STATES if state.startswith(prefix)]
    from_pooler = state == _OF_POOLERS
    if fitting and not from_pooler:
        return _STATES[max(fitting, key=len)]
    if not from_pooler and (state or not disconnected):
        return None
    attempt = getattr(error, "pgconn", None)
    if getattr(attempt, "needs_password", False):
        return _REFUSED
    message = str(error)
    return next((fault for words, fault in _PATTERNS if re.search(words, message)), _UNREACHABLE)


UNSTORABLE = _STATES["22"]
"""For a value that the driver refuses, which has no code."""
