"""Which addresses belong to the site that is read."""

from urllib.parse import urlsplit

from assay.adapters.sources.site.addresses import moved_to, origin_of, site_of, spelled, start_folder
from assay.adapters.sources.site.options import SiteScope
from assay.errors import ConfigurationError


class Scope:
    """The prefixes of a site, and the origins that are other names of its own.

    start: the address that reading began at, after its redirects.

    Raises ConfigurationError for a prefix that is none.
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
        """What an address has to begin with, without the slash at its end."""
        return tuple(self._include)

    @property
    def origins(self) -> tuple[str, ...]:
        """The origins that pages are read from, that of the start first."""
        return tuple(dict.fromkeys([self.origin, *map(origin_of, self._include)]))

    def add_alias(self, origin: str) -> None:
        """From now on addresses at this origin are taken for the same at the start's."""
        self._aliases[origin] = self.origin

    @property
    def aliases(self) -> tuple[str, ...]:
        """Origins that the site calls itself by and is not read from."""
        return tuple(self._aliases)

    def own(self, address: str) -> str:
        """The address at the origin that it is read from: other names of the site are replaced."""
        origin = origin_of(address)
        if origin == self.origin:
            return address
        target = self._aliases.get(origin) or self._sites.get(site_of(origin))
        return address if target is None or target == origin else moved_to(address, target)

    def holds(self, address: str) -> bool:
        """Whether an address, as `own` gives it, is within the scope."""
        return any(_under(address, prefix) for prefix in self._include) and not self.excluded(address)

    def prefix_of(self, address: str) -> str:
        """The longest prefix that an address is under; its origin where it is under none."""
        holding = [prefix for prefix in self._include if _under(address, prefix)]
        return max(holding, key=len, default=origin_of(address))

    def excluded(self, address: str) -> bool:
        """Whether a prefix that is left out holds the address."""
        return any(_under(address, prefix) for prefix in self._exclude)

    def is_own_host(self, address: str) -> bool:
        """Whether an address, as `own` gives it, is at an origin of the scope."""
        return origin_of(address) in self.origins

    def _prefix(self, text: str, which: str) -> str:
        absolute = text if "://" in text else f"{self.origin}/{text.lstrip('/')}"
        try:
            address = spelled(absolute)
        except ValueError:
            address = None
        if address is None or urlsplit(absolute).query:
            raise ConfigurationError(
                f"{text!r} cannot be a prefix in {which} of a site's scope.",
                hint="Write a path such as /docs/ or an address such as https://docs.example.org/docs/.",
            )
        return address.rstrip("/")


def _under(address: str, prefix: str) -> bool:
    if not address.startswith(prefix):
        return False
    rest = address[len(prefix) :]
    return rest == "" or rest[0] in "/?"
