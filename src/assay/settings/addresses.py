"""URLs of servers in settings."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator


def _plain(url: str) -> str:
    """The URL. Raises ValueError for credentials in it: they would be logged, and would replace the API key."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ValueError("is not the URL of a server") from None
    if "@" in parts.netloc:
        raise ValueError("must not contain a user name or a password; set the key as an API key")
    if parts.query or parts.fragment:
        raise ValueError("must not have a query or a fragment; remove the part from ? or # on")
    return url


ServerUrl = Annotated[str, AfterValidator(_plain)]
"""A server's URL, without credentials, query and fragment."""
