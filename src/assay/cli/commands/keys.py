"""`assay keys`: create, list and revoke the API keys of the server."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from assay.app import Assay
from assay.cli import options
from assay.cli.terminal.help_text import PlainTyper
from assay.cli.terminal.output import err, out, print_json
from assay.contracts.fields import utc_timestamp
from assay.model.access import ApiKey, Scope


def add(
    name: Annotated[str, typer.Argument(help="Owner or purpose of the key.")],
    scope: Annotated[
        list[Scope] | None,
        typer.Option("--scope", help="Permission: `search`, or `admin`, which includes it [default: search]."),
    ] = None,
    days: Annotated[
        int | None, typer.Option("--days", min=1, max=36_500, help="Days until it expires [default: never].")
    ] = None,
    rate_limit: Annotated[
        str | None,
        typer.Option(
            "--rate-limit",
            help="Its own rate limit, such as `600/minute`, or `off` [default: [server] key_rate_limit].",
        ),
    ] = None,
    address_rate_limit: Annotated[
        str | None,
        typer.Option(
            "--address-rate-limit",
            help="Rate limit for each client address that uses it, for a key in a public page [default: none; for "
            "search boxes, [server] rate_limit].",
        ),
    ] = None,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Create a key and print it once; only its hash is stored. A running server accepts it at once."""
    expires_at = datetime.now(UTC).replace(microsecond=0) + timedelta(days=days) if days else None
    with Assay.open(options.settings_from(config, data_dir)) as assay:
        key, token = assay.parts.keys.add(
            name,
            scope or [Scope.SEARCH],
            expires_at=expires_at,
            rate_limit=rate_limit,
            address_rate_limit=address_rate_limit,
        )
    if as_json:
        print_json(_body(key) | {"key": token})
        return
    err().print("This is the key. It is shown only once. Send it as `Authorization: Bearer …`:")
    out().print(token, markup=False)


def list_keys(data_dir: options.DataDir = None, config: options.Config = None, as_json: options.Json = False) -> None:
    """List the keys' ids, names, scopes and limits, oldest first. The keys themselves are not stored."""
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
            _limits(key),
        )
    out().print(table)


def revoke(
    key: Annotated[str, typer.Argument(help="Id or name of the key.")],
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Revoke a key. A running server refuses it at once."""
    with Assay.open(options.settings_from(config, data_dir)) as assay:
        revoked = assay.parts.keys.revoke(key)
    if as_json:
        print_json(_body(revoked))
    else:
        out().print(f"Key {revoked.id} ({escape(revoked.name)}) is revoked.")


def _expiry(key: ApiKey) -> str:
    if key.expires_at is None:
        return "never"
    return f"{key.expires_at:%Y-%m-%d}" + (" (expired)" if key.has_expired(datetime.now(UTC)) else "")


def _limits(key: ApiKey) -> str:
    of_address = f", {key.address_rate_limit} for each address" if key.address_rate_limit else ""
    return (key.rate_limit or "as set") + of_address


def _body(key: ApiKey) -> dict[str, object]:
    """Return the JSON body of a key, without the key or its hash."""
    return {
        "id": key.id,
        "name": key.name,
        "scopes": sorted(key.scopes),
        "created_at": utc_timestamp(key.created_at),
        "expires_at": utc_timestamp(key.expires_at) if key.expires_at else None,
        "rate_limit": key.rate_limit,
        "address_rate_limit": key.address_rate_limit,
    }


keys = PlainTyper(name="keys", help="Create, list and revoke the API keys of the server.", no_args_is_help=True)
keys.command()(add)
keys.command("list")(list_keys)
keys.command()(revoke)
