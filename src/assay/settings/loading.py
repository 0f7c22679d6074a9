"""All settings, loaded from assay.toml, the environment and the caller's overrides."""

import os
import pickle
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal
from urllib.parse import quote

from pydantic import (
    BaseModel,
    Field,
    SecretStr,
    ValidationError,
)
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from assay.errors import ConfigurationError
from assay.model.ranking import ContractMode
from assay.path_checks import is_file, is_folder
from assay.redaction import hide, secrets_in_header, secrets_in_url
from assay.settings.building import ChunkingSettings, EmbeddingSettings, IngestSettings, SparseSettings
from assay.settings.judging import GateSettings, ReleaseSettings, ValidationSettings
from assay.settings.problems import Given, explain, unknown_variables
from assay.settings.querying import QuerySettings
from assay.settings.reranking import RerankSettings
from assay.settings.searching import DENSE_WEIGHT, STATIC_DENSE_WEIGHT, STATIC_THRESHOLD, SearchSettings
from assay.settings.serving import ServerSettings
from assay.settings.sources import SourceSettings
from assay.settings.storing import CatalogSettings, IndexSettings, QdrantSettings
from assay.settings.toml_file import read_toml

CONFIG_FILE = "assay.toml"

SEED_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "AZURE_OPENAI_API_KEY": ("embedding", "azure_api_key"),
    "COHERE_API_KEY": ("embedding", "cohere_api_key"),
    "DATABASE_URL": ("catalog", "url"),
    "QDRANT_API_KEY": ("qdrant", "api_key"),
    "QDRANT_COLLECTION_NAME": ("qdrant", "collection"),
    "QDRANT_URL": ("qdrant", "url"),
    "OPENAI_API_KEY": ("embedding", "openai_api_key"),
}
"""Environment variables of the seeds' systems, and the path of the setting that each one sets."""

TRACE_VARIABLES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""OpenTelemetry's own variables for the endpoint of traces; setting one turns `[server] traces` on."""


class Settings(BaseSettings):
    """All settings."""

    model_config = SettingsConfigDict(
        env_prefix="ASSAY_",
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        nested_model_default_partial_update=True,
    )

    config_folder: ClassVar[Path] = Path()
    """Folder of the configuration file; the working directory without one. Not a setting."""

    data_dir: Path = Field(default=Path(".assay"), description="Folder of the catalog and the embedded indexes.")
    sources: tuple[SourceSettings, ...] = Field(default=(), description="Folders and sites to read documents from.")
    ingest: IngestSettings = IngestSettings()
    chunking: ChunkingSettings = ChunkingSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    sparse: SparseSettings = SparseSettings()
    search: SearchSettings = SearchSettings()
    rerank: RerankSettings = RerankSettings()
    index: IndexSettings = IndexSettings()
    qdrant: QdrantSettings = QdrantSettings()
    catalog: CatalogSettings = CatalogSettings()
    gate: GateSettings = GateSettings()
    validation: ValidationSettings = ValidationSettings()
    release: ReleaseSettings = ReleaseSettings()
    server: ServerSettings = ServerSettings()
    queries: QuerySettings = QuerySettings()

    def model_post_init(self, context: Any, /) -> None:  # noqa: ANN401, ARG002 - the base class's signature
        """Register the secrets among the settings for redaction in every output."""
        hide(_secrets_in(self))

    @property
    def catalog_url(self) -> str:
        """The catalog's database URL: the setting, or the SQLite file in the data directory."""
        path = quote((self.data_dir / "catalog.sqlite").resolve().as_posix(), safe="/:")
        return self.catalog.url or f"sqlite:///{path}"

    @property
    def keys_path(self) -> Path:
        """File with the hashed API keys."""
        return self.server.keys_file or self.data_dir / "keys.json"

    @property
    def vector_store(self) -> Literal["embedded", "qdrant"]:
        """The vector store: the setting, or `qdrant` if a server or an adopted collection is set."""
        if self.index.adopt is not None:
            return "qdrant"
        return self.index.store or ("qdrant" if self.qdrant.url else "embedded")

    @property
    def dense_weight(self) -> float:
        """Weight of the dense side in hybrid search: the setting, or the embedder's default."""
        if self.search.dense_weight is not None:
            return self.search.dense_weight
        return STATIC_DENSE_WEIGHT if self.embedding.provider == "static" else DENSE_WEIGHT

    @property
    def calibrated_threshold(self) -> float | None:
        """The lowest similarity of a relevant hit: the setting, or the static model's; None if unknown."""
        static = STATIC_THRESHOLD if self.embedding.provider == "static" else None
        return self.search.threshold or self.gate.abstain_below or static

    @property
    def contract_mode(self) -> ContractMode:
        """How the contracts' routes choose and order hits; hybrid by default."""
        return self.server.contract_mode or ContractMode.HYBRID

    @property
    def index_dir(self) -> Path:
        """Folder of the embedded indexes, with one folder for each generation."""
        return self.data_dir / "generations"


def _secrets_in(value: object) -> Iterator[str]:
    """Every secret in a setting: keys, header values, passwords in URLs."""
    if isinstance(value, BaseModel):
        value = {name: getattr(value, name) for name in type(value).model_fields}
    if isinstance(value, SecretStr):
        yield from secrets_in_header(value.get_secret_value())
    elif isinstance(value, str):
        yield from secrets_in_url(value)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _secrets_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _secrets_in(inner)


class _SeedVariables(EnvSettingsSource):
    """Settings from the seeds' environment variables."""

    def __call__(self) -> dict[str, Any]:
        """Nested values of the variables that are set and not empty."""
        values: dict[str, Any] = {}
        for name, path in SEED_VARIABLES.items():
            value = self.env_vars.get(name.lower())
            if value:
                table = values
                for part in path[:-1]:
                    table = table.setdefault(part, {})
                table[path[-1]] = value
        if any(self.env_vars.get(name.lower()) for name in TRACE_VARIABLES):
            values.setdefault("server", {})["traces"] = True
        return values


def _settings_with(values: dict[str, Any], folder: Path) -> type[Settings]:
    """Return a Settings class whose lowest-priority source is the values of assay.toml, in this folder."""

    class FileSettings(Settings):
        config_folder = folder

        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - pydantic-settings passes it by name
            file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the same
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            file_values = InitSettingsSource(settings_cls, values)
            return init_settings, env_settings, _SeedVariables(settings_cls), file_values

    return FileSettings


def pickle_settings(settings: Settings) -> bytes:
    """Settings as bytes for another process of the same user; they contain the secrets."""
    tables = {name: getattr(settings, name) for name in Settings.model_fields}
    return pickle.dumps((settings.config_folder, tables, settings.model_fields_set))


def unpickle_settings(content: bytes) -> Settings:
    """Settings from pickle_settings, with their secrets registered for redaction in this process."""
    folder, tables, names = pickle.loads(content)  # noqa: S301 - from our own process
    return _settings_with({}, folder).model_construct(names, **tables)


def load_settings(config: Path | None = None, overrides: Mapping[str, Any] | None = None) -> Settings:
    """Load settings from assay.toml, the environment and overrides.

    config: the file to read; None reads assay.toml in the working directory, if present.
    overrides: nested values that win over everything.

    Raises ConfigurationError that names each invalid setting and its source.
    """
    path = config or Path(CONFIG_FILE)
    values: dict[str, Any] = {}
    if is_folder(path):
        raise ConfigurationError(
            f"{path} is a folder; it must be a configuration file.", hint="Move or rename the folder."
        )
    if is_file(path):
        values = read_toml(path, ConfigurationError)
    elif config is not None:
        raise ConfigurationError(f"There is no configuration file at {path}.", hint="`assay init` writes one.")
    given = Given(overrides or {}, os.environ, values, str(path))
    try:
        settings = _settings_with(_resolve_paths(values, path.parent), path.parent)(**dict(overrides or {}))
    except ValidationError as error:
        raise ConfigurationError(explain(error, Settings, given)) from None
    except SettingsError as error:
        raise ConfigurationError(f"An ASSAY_ environment variable cannot be read: {error}.") from None
    except RecursionError:
        raise ConfigurationError(f"An ASSAY_ environment variable or {path} is nested too deeply.") from None
    _require_folder(settings.data_dir)
    return settings


def misspelled_variables() -> list[str]:
    """Warn about each environment variable with the prefix `ASSAY_` that is no setting, in a sentence each."""
    return unknown_variables(Settings, os.environ)


def _require_folder(data_dir: Path) -> None:
    """Raise ConfigurationError if the data directory or one of its parents is a file."""
    for path in (data_dir, *data_dir.parents):
        if is_folder(path):
            return
        if is_file(path):
            problem = "is a file" if path == data_dir else f"cannot be created, because {path} is a file"
            raise ConfigurationError(
                f"The data directory {data_dir} {problem}.", hint="Set a folder with --data-dir or ASSAY_DATA_DIR."
            )


def _resolve_path(table: object, name: str, folder: Path) -> None:
    if isinstance(table, dict) and isinstance(table.get(name), str):
        table[name] = folder / table[name]


def _resolve_paths(values: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Make the file's relative paths relative to its folder."""
    _resolve_path(values, "data_dir", folder)
    validation = values.get("validation")
    if isinstance(validation, dict) and validation.get("testset") != "":  # an empty one is refused, and no folder
        _resolve_path(validation, "testset", folder)
    _resolve_path(values.get("validation"), "output_dir", folder)
    _resolve_path(values.get("server"), "keys_file", folder)
    _resolve_path(values.get("qdrant"), "ca_file", folder)
    _resolve_path(values.get("rerank"), "model_dir", folder)
    for source in values["sources"] if isinstance(values.get("sources"), list) else []:
        _resolve_path(source, "path", folder)
    return values
