"""The addresses that belong to a site."""

from urllib.parse import urlsplit

from assay.adapters.sources.site.addresses import at_origin, normalize_url, origin_of, site_of, start_folder
from assay.adapters.sources.site.options import SiteScope
from assay.errors import ConfigurationError


class CrawlScope:
    """The prefixes of a site, and the aliases of its origins.

    start: address of the start page, after redirects.

    Raises ConfigurationError for an invalid prefix.
    """

    def __init__(self, start: str, options: SiteScope) -> None:
        self.start = start
        self.origin = origin_of(start)
        self._aliases: dict[str, str] = {}
        self._include = [self._prefix(text, "include") for text in options.include] or [start_folder(start)]
        self._exclude = [self._prefix(text, "exclude") for text in options.exclude]
        self._sites = {site_of(origin_of(prefix)): origin_of(prefix) for prefix in [start, *self._include]}

    @property
    def prefixes(self) -> tuple[str, ...]:
        """The prefixes in the scope, without a trailing slash."""
        return tuple(self._include)

    @property
    def origins(self) -> tuple[str, ...]:
        """The origins that pages are fetched from, the start page's first."""
        return tuple(dict.fromkeys([self.origin, *map(origin_of, self._include)]))

    def add_alias(self, origin: str) -> None:
        """Treat addresses at this origin as the same address at the start page's."""
        self._aliases[origin] = self.origin

    @property
    def aliases(self) -> tuple[str, ...]:
        """Origins that are aliases of the site and not fetched from."""
        return tuple(self._aliases)

    def resolve_alias(self, address: str) -> str:
        """The address with an alias replaced by the origin that it is fetched from."""
        origin = origin_of(address)
        if origin == self.origin:
            return address
        target = self._aliases.get(origin) or self._sites.get(site_of(origin))
        return address if target is None or target == origin else at_origin(address, target)

    def holds(self, address: str) -> bool:
        """Whether an address without aliases (`resolve_alias`) is in the scope."""
        return any(_under(address, prefix) for prefix in self._include) and not self.excluded(address)

    def prefix_of(self, address: str) -> str:
        """The longest prefix that the address is under; its origin if there is none."""
        holding = [prefix for prefix in self._include if _under(address, prefix)]
        return max(holding, key=len, default=origin_of(address))

    def excluded(self, address: str) -> bool:
        """Whether the address is under an excluded prefix."""
        return any(_under(address, prefix) for prefix in self._exclude)

    def is_own_host(self, address: str) -> bool:
        """Whether an address without aliases is at an origin of the scope."""
        return origin_of(address) in self.origins

    def _prefix(self, text: str, which: str) -> str:
        absolute = text if "://" in text else f"{self.origin}/{text.lstrip('/')}"
        address = normalize_url(absolute)
        if address is None or urlsplit(absolute).query:
            raise ConfigurationError(
                f"{text!r} in {which} is not a valid URL prefix.",
                hint="Write a path such as /docs/ or an address such as https://docs.example.org/docs/.",
            )
        return address.rstrip("/")


def _under(address: str, prefix: str) -> bool:
    if not address.startswith(prefix):
        return False
    rest = address[len(prefix) :]
    return rest == "" or rest[0] in "/?"
