"""URLs of servers in settings."""

from urllib.parse import urlsplit


def plain_server_url(url: str | None) -> str | None:
    """The URL. Raises ValueError for credentials in it: they would be logged, and would replace the API key."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        raise ValueError("is not the URL of a server") from None
    if "@" in parts.netloc:
        raise ValueError("must not contain a user name or a password; set the key as an API key")
    if parts.query or parts.fragment:
        raise ValueError("must not have a query or a fragment; remove the part from ? or # on")
    return url
