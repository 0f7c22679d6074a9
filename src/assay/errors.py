"""The tree of all errors. Surfaces map them to HTTP statuses and exit codes.

AssayError
 ├── InputError                 an invalid query, argument or file (also a ValueError)
 ├── ConfigurationError         invalid or contradictory settings
 │    └── FileUnwritable          a file of keys, labels or a report cannot be written (also an InputError)
 ├── SourceError                a folder or site that cannot be read at all
 │    └── SourceUnavailable       a site that does not answer now; a retry may work
 ├── EmbeddingError             the embedder failed
 │    ├── EmbedderUnavailable     unreachable, slow or throttling; a retry may work
 │    ├── EmbedderRefused         key, quota or request refused; a retry will not work
 │    └── InvalidEmbedding        a vector of the wrong length, not finite, or zero
 ├── RerankError                the reranker failed, or its answer cannot be used
 │    ├── RerankerUnavailable     unreachable, slow or throttling; a retry may work
 │    └── RerankerRefused         key, quota or request refused; a retry will not work
 ├── IdentityMismatch           the query's embedder is not that of the generation
 ├── VectorStoreError           the vector store failed
 │    ├── StoreUnavailable        unreachable, locked or slow; a retry may work
 │    ├── StorageFull             no space left
 │    ├── IndexNotFound           the generation has no index there
 │    └── IndexCorrupt            damaged, half-written or of another version
 │         └── PointCorrupt         one point of it is damaged; the others can be read
 ├── CatalogError               the catalog failed
 │    ├── CatalogNotFound         no catalog exists: nothing has been ingested
 │    ├── CatalogCorrupt          something stored in it is damaged
 │    ├── CatalogUnavailable      unreachable or locked; a retry may work
 │    └── CatalogSchemaError      of another version of Assay
 ├── ServiceError               a remote Assay, asked over HTTP, failed
 │    ├── ServiceUnavailable      unreachable, slow or unhealthy; a retry may work
 │    ├── ServiceThrottled        over its rate limit
 │    └── ServiceRefused          wrong key or address
 └── GenerationError            the request does not fit the state of the generations
      ├── NoLiveGeneration        nothing has been promoted yet
      ├── GenerationNotFound      no generation of that id
      ├── InvalidTransition       a change of state that is not allowed
      ├── BuildInProgress         another build holds the lock
      ├── IndexNotOurs            the index was adopted, and Assay only reads it
      └── PromotionRefused        the gate did not pass this generation
           ├── PromotionUndecided   the verdict is INCONCLUSIVE
           └── LiveChanged          another went live, or this one was dropped, while it was measured
"""

from assay.redaction import redacted


class AssayError(Exception):
    """Base of all errors that Assay raises. Secrets of the settings are masked in its texts.

    message: what happened, with the value.
    hint: what to do next; may be empty.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        self.message = redacted(message)
        self.hint = redacted(hint)
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()


class InputError(AssayError, ValueError):
    """Invalid input: the message names the field, its limit and the value."""


class ConfigurationError(AssayError):
    """Invalid settings; the hint names the setting to change."""


class FileUnwritable(InputError, ConfigurationError):
    """A file of API keys, labelled queries or a report cannot be written; the message names it."""


class SourceError(AssayError):
    """A source that cannot be read at all; a page that fails is a value and no error."""


class SourceUnavailable(SourceError):
    """A site that does not answer now; a retry may work."""


class EmbeddingError(AssayError):
    """The embedder failed."""


class EmbedderUnavailable(EmbeddingError):
    """Unreachable, too slow or throttling, after all retries."""


class EmbedderRefused(EmbeddingError):
    """The provider refused the key, quota or request; a retry will not work."""


class InvalidEmbedding(EmbeddingError):
    """A vector that has the wrong length, is not finite, or is all zero."""


class RerankError(AssayError):
    """The reranker failed, or its answer cannot be used."""


class RerankerUnavailable(RerankError):
    """Unreachable, too slow, throttling, or paused after failures."""


class RerankerRefused(RerankError):
    """The reranker refused the key, quota or request; a retry will not work."""


class IdentityMismatch(AssayError):
    """The configured embedder is not the one of the generation."""


class VectorStoreError(AssayError):
    """The vector store failed."""


class StoreUnavailable(VectorStoreError):
    """Unreachable, locked or too slow."""


class RequestForbidden(VectorStoreError):
    """A limit of the store's strict mode forbids the request."""


class StorageFull(VectorStoreError):
    """No space left where the index is written."""


class IndexNotFound(VectorStoreError):
    """The vector store holds no index for that generation."""


class IndexCorrupt(VectorStoreError):
    """The index is damaged, half-written, or was made by another version of the engine."""


class PointCorrupt(IndexCorrupt):
    """A point of the index is damaged: the message names it and the field. The others can be read."""


class CatalogError(AssayError):
    """The catalog failed."""


class CatalogNotFound(CatalogError):
    """No catalog exists: nothing has been ingested."""


class CatalogCorrupt(CatalogError):
    """A record is damaged and cannot be read; the others can."""


class CatalogUnavailable(CatalogError):
    """Unreachable or locked."""


class CatalogSchemaError(CatalogError):
    """The catalog's schema belongs to another version of Assay."""


class ServiceError(AssayError):
    """A remote Assay failed, or the address is not one."""


class ServiceUnavailable(ServiceError):
    """The remote Assay is unreachable, too slow or unhealthy."""


class ServiceThrottled(ServiceError):
    """The remote Assay's rate limit is exceeded."""


class ServiceRefused(ServiceError):
    """The remote Assay refused the key, or is not at that address."""


class GenerationError(AssayError):
    """The request does not fit the state of the generations."""


class NoLiveGeneration(GenerationError):
    """Nothing has been promoted yet."""


class GenerationNotFound(GenerationError):
    """No generation of that id."""


class InvalidTransition(GenerationError):
    """A change of state that is not allowed."""


class BuildInProgress(GenerationError):
    """Another build holds the lock."""


class IndexNotOurs(GenerationError):
    """The index is a collection that Assay did not make; it is searched and never changed."""


class PromotionRefused(GenerationError):
    """The gate did not pass this generation."""


class PromotionUndecided(PromotionRefused):
    """The verdict on this generation is INCONCLUSIVE."""


class LiveChanged(PromotionRefused):
    """While a candidate was measured, another generation went live or the candidate was dropped; a retry may work."""
