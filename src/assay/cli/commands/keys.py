"""`assay keys`: make, list and revoke the API keys of the server."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from assay.app import Assay
from assay.cli import options
from assay.cli.terminal.help_text import PlainTyper
from assay.cli.terminal.output import err, out, print_json
from assay.model.access import ApiKey, Scope


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    keys = PlainTyper(name="keys", help="Make, list and revoke the API keys of the server.", no_args_is_help=True)
    keys.command()(add)
    keys.command("list")(list_keys)
    keys.command()(revoke)
    app.add_typer(keys)


def add(
    name: Annotated[str, typer.Argument(help="Whose key it is, or what for.")],
    scope: Annotated[
        list[Scope] | None,
        typer.Option("--scope", help="What it may do: search, or admin, which includes search [default: search]."),
    ] = None,
    days: Annotated[
        int | None, typer.Option("--days", min=1, max=36_500, help="After how many days it expires [default: never].")
    ] = None,
    rate_limit: Annotated[
        str | None,
        typer.Option("--rate-limit", help="Its own limit, as 600/minute, or off [default: [server] key_rate_limit]."),
    ] = None,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Make a key and print it, this once: only its hash is kept. A running server knows it at once."""
    expires_at = datetime.now(UTC).replace(microsecond=0) + timedelta(days=days) if days else None
    with Assay.open(options.settings_from(config, data_dir)) as assay:
        key, token = assay.parts.keys.add(name, scope or [Scope.SEARCH], expires_at=expires_at, rate_limit=rate_limit)
    if as_json:
        print_json(_body(key) | {"key": token})
        return
    err().print("This is the key. It is shown once; only its hash is kept. Send it as `Authorization: Bearer …`:")
    out().print(token, markup=False)


def list_keys(data_dir: options.DataDir = None, config: options.Config = None, as_json: options.Json = False) -> None:
    """List the keys, oldest first; not the keys themselves, which nobody has but their owners."""
    with Assay.open(options.settings_from(config, data_dir)) as assay:
        keys = assay.parts.keys.listed()
    if as_json:
        print_json({"keys": [_body(key) for key in keys]})
        return
    if not keys:
        err().print("There are no keys. `assay keys add NAME` makes one.")
        return
    table = Table("id", "name", "scopes", "made", "expires", "rate limit", box=None)
    for key in keys:
        table.add_row(
            key.id,
            escape(key.name),
            ", ".join(sorted(key.scopes)),
            f"{key.created_at:%Y-%m-%d}",
            _expiry(key),
            key.rate_limit or "as set",
        )
    out().print(table)


def revoke(
    key: Annotated[str, typer.Argument(help="Id or name of the key.")],
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Revoke a key. A running server refuses it from its next request on."""
    with Assay.open(options.settings_from(config, data_dir)) as assay:
        revoked = assay.parts.keys.revoke(key)
    if as_json:
        print_json(_body(revoked))
    else:
        out().print(f"Key {revoked.id} ({escape(revoked.name)}) does not work any more.")


def _expiry(key: ApiKey) -> str:
    if key.expires_at is None:
        return "never"
    return f"{key.expires_at:%Y-%m-%d}" + (" (over)" if key.has_expired(datetime.now(UTC)) else "")


def _body(key: ApiKey) -> dict[str, object]:
    """The JSON body of a key; neither the key nor its hash is in it."""
    return {
        "id": key.id,
        "name": key.name,
        "scopes": sorted(key.scopes),
        "created_at": key.created_at.isoformat().replace("+00:00", "Z"),
        "expires_at": key.expires_at.isoformat().replace("+00:00", "Z") if key.expires_at else None,
        "rate_limit": key.rate_limit,
    }
