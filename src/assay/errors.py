"""Every way Assay can fail, in one tree. It knows no HTTP and no exit codes; surfaces map it.

AssayError
 ├── InputError                 the caller's fault: a bad query, argument or file (also a ValueError)
 ├── ConfigurationError         settings that cannot work, or that contradict each other
 ├── SourceError                a folder or site that cannot be read at all
 │    └── SourceUnavailable       a site that does not answer, or not now; another try may work
 ├── EmbeddingError             the embedder failed
 │    ├── EmbedderUnavailable     unreachable, slow or throttling; another try may work
 │    ├── EmbedderRefused         key, quota or request refused; another try will not work
 │    └── InvalidEmbedding        a vector of the wrong length, not finite, or zero
 ├── IdentityMismatch           a query's embedder is not the one that made the generation
 ├── VectorStoreError           the vector store failed
 │    ├── StoreUnavailable        unreachable, locked or slow; another try may work
 │    ├── StorageFull             no space left
 │    ├── IndexNotFound           the generation has no index there
 │    └── IndexCorrupt            damaged, half-written or of another version
 │         └── PointCorrupt         one point of it is damaged; the others can be read
 ├── CatalogError               the catalog failed
 │    ├── CatalogNotFound         there is none yet: nothing has been ingested
 │    ├── CatalogCorrupt          something stored in it is damaged
 │    ├── CatalogUnavailable      unreachable or locked; another try may work
 │    └── CatalogSchemaError      of another version of Assay
 ├── ServiceError               another Assay, asked over HTTP, failed
 │    ├── ServiceUnavailable      unreachable, slow or not well; another try may work
 │    ├── ServiceThrottled        asked more often than it allows
 │    └── ServiceRefused          the key or the address is not what it has to be
 └── GenerationError            the request does not fit the state of the generations
      ├── NoLiveGeneration        nothing has been promoted yet
      ├── GenerationNotFound      no generation of that id
      ├── InvalidTransition       the state machine has no such step
      ├── BuildInProgress         another build holds the lock
      ├── IndexNotOurs            the index was adopted, and Assay only reads it
      └── PromotionRefused        the gate did not pass this generation
"""

from assay.redaction import redacted


class AssayError(Exception):
    """Anything that Assay raises on purpose. The secrets of the settings are masked in its texts.

    message: what happened, with the value it happened to.
    hint: what to do next; empty when the message says it.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        self.message = redacted(message)
        self.hint = redacted(hint)
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()


class InputError(AssayError, ValueError):
    """What the caller gave cannot be used: the message names the field, its limit and what was sent."""


class ConfigurationError(AssayError):
    """Settings that cannot work; the hint names the setting that mends it."""


class SourceError(AssayError):
    """A source that cannot be read at all; a single page that fails is a value, not an error."""


class SourceUnavailable(SourceError):
    """A site that does not answer, or not now: the same reading may go well later."""


class EmbeddingError(AssayError):
    """The embedder failed."""


class EmbedderUnavailable(EmbeddingError):
    """Unreachable, too slow or throttling, after the retries that were allowed."""


class EmbedderRefused(EmbeddingError):
    """The provider refused for good: key, quota or request."""


class InvalidEmbedding(EmbeddingError):
    """A vector that has the wrong length, is not finite, or is all zero."""


class IdentityMismatch(AssayError):
    """The embedder at hand is not the one that made the generation."""


class VectorStoreError(AssayError):
    """The vector store failed."""


class StoreUnavailable(VectorStoreError):
    """Unreachable, locked or too slow."""


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
    """There is no catalog yet: nothing has been ingested."""


class CatalogCorrupt(CatalogError):
    """Something that is stored in it is damaged and cannot be read; the rest can."""


class CatalogUnavailable(CatalogError):
    """Unreachable or locked."""


class CatalogSchemaError(CatalogError):
    """The catalog's schema belongs to another version of Assay."""


class ServiceError(AssayError):
    """Another Assay, which is asked over HTTP, failed, or what answers is none."""


class ServiceUnavailable(ServiceError):
    """Unreachable, too slow, or it says that it cannot answer."""


class ServiceThrottled(ServiceError):
    """It is asked more often than its rate limits allow."""


class ServiceRefused(ServiceError):
    """It refused the key, or nothing of it is at that address."""


class GenerationError(AssayError):
    """The request does not fit the state of the generations."""


class NoLiveGeneration(GenerationError):
    """Nothing has been promoted yet."""


class GenerationNotFound(GenerationError):
    """No generation of that id."""


class InvalidTransition(GenerationError):
    """The state machine has no such step."""


class BuildInProgress(GenerationError):
    """Another build holds the lock."""


class IndexNotOurs(GenerationError):
    """The index is a collection that Assay did not make; it is searched and never changed."""


class PromotionRefused(GenerationError):
    """The gate did not pass this generation."""
