"""Assay: a retrieval service for documentation whose index must prove itself before it goes live.

    import assay

    with assay.open("docs/") as docs:
        docs.publish()
        print(docs.search("how do I configure retries?").hits[0].url)

`open` works in this process, `connect` searches a running server; both give the same answers. See `assay docs python`.
Modules are imported on first use.
"""

from collections.abc import Mapping
from importlib import import_module
from os import PathLike
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any

from assay.contracts.opening import register_opener
from assay.version import __version__

if TYPE_CHECKING:
    from assay.app import Assay as Assay
    from assay.client.client import Client as Client
    from assay.contracts.retriever import Retriever
    from assay.errors import AssayError as AssayError
    from assay.errors import CatalogError as CatalogError
    from assay.errors import ConfigurationError as ConfigurationError
    from assay.errors import EmbeddingError as EmbeddingError
    from assay.errors import GenerationError as GenerationError
    from assay.errors import IdentityMismatch as IdentityMismatch
    from assay.errors import InputError as InputError
    from assay.errors import RerankError as RerankError
    from assay.errors import ServiceError as ServiceError
    from assay.errors import SourceError as SourceError
    from assay.errors import VectorStoreError as VectorStoreError
    from assay.model.ranking import Filters as Filters
    from assay.model.ranking import Hit as Hit
    from assay.model.ranking import Mode as Mode
    from assay.model.ranking import Query as Query
    from assay.model.ranking import Ranking as Ranking

_HOMES = {
    "assay.app": ("Assay",),
    "assay.client.client": ("Client",),
    "assay.errors": (
        *("AssayError", "CatalogError", "ConfigurationError", "EmbeddingError", "GenerationError", "IdentityMismatch"),
        *("InputError", "RerankError", "ServiceError", "SourceError", "VectorStoreError"),
    ),
    "assay.model.ranking": ("Filters", "Hit", "Mode", "Query", "Ranking"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", "connect", "open", *sorted(_HOME_OF)]  # noqa: PLE0604 - all of them are strings


def open(  # noqa: A001 - `assay.open` reads as what it does
    source: str | Path | None = None,
    *,
    config: str | Path | None = None,
    data_dir: str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
) -> "Assay":
    """Open Assay in this process. Call `publish` to build an index before the first `search`.

    source: the folder or site that `publish` reads; None for the sources of assay.toml.
    config: the configuration file; None reads assay.toml in the working directory, if present.
    data_dir: folder of the catalog and the indexes; None for ASSAY_DATA_DIR or `.assay`.
    settings: nested values that win over file and environment, such as {"search": {"mode": "sparse"}}.

    Raises ConfigurationError for invalid settings, InputError for an argument of another type.
    """
    from assay.app import Assay
    from assay.model.arguments import require_type
    from assay.settings import settings_for, source_named

    for name, path in (("source", source), ("config", config), ("data_dir", data_dir)):
        require_type(name, path, (str, PathLike, NoneType), "text or a path")
    require_type("settings", settings, (Mapping, NoneType), "a mapping")
    overrides = dict(settings or {})
    if source is not None:
        overrides["sources"] = [source_named(str(source))]
    return Assay.open(settings_for(_path(config), _path(data_dir), overrides))


def connect(url: str, key: str | None = None) -> "Client":
    """Return a client of a running Assay. It connects on the first search.

    url: the address of `assay serve`, such as http://127.0.0.1:8080.
    key: an API key with the scope `search`, if the server requires one.

    Raises ConfigurationError for an invalid URL or key, InputError for one that is not text.
    """
    from assay.client.client import Client

    return Client(url, key)


def _open_retriever() -> "Retriever":
    """Open Assay with the settings of the environment, for the functions of `assay.contracts.retrieval_layer`."""
    from assay.app import Assay
    from assay.contracts.retriever import Retriever

    opened = Assay.from_environment()
    retriever = Retriever(opened.searches, opened.searches.shaping, opened.close)
    opened.searches.start_serving()
    return retriever


register_opener(_open_retriever)


def _path(path: str | Path | None) -> Path | None:
    return None if path is None else Path(path)


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the module offers under that name
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
