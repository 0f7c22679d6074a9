"""The object behind `assay.open`: all parts of Assay for one data directory and one configuration."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Self, Unpack, overload

from assay.app.locked_property import LockedProperty
from assay.app.parts import Parts
from assay.app.searching import Searches
from assay.contracts import native, suggestions
from assay.model.arguments import require_type
from assay.model.generations import Generation
from assay.model.ranking import Embed, Query, Ranking
from assay.model.validations import Validation
from assay.model.vocabulary import Name
from assay.ports import Progress
from assay.settings import Settings, load_settings

if TYPE_CHECKING:
    from assay.app.auditing import Auditor
    from assay.app.building import Builds
    from assay.app.evaluation import Evaluation
    from assay.app.labelling import LabelDesk
    from assay.app.labels import Labels
    from assay.app.pages import Pages
    from assay.app.queries import Queries
    from assay.app.releases import Releases
    from assay.app.reports import PublishReport
    from assay.app.systems import Systems
    from assay.validation.running.latency import Load


class Assay:
    """Assay over one data directory and one configuration.

    Nothing is read or written before it is needed: a search loads no catalog migrations, a listing no model.

    parts: the adapters. builds: sources in, a candidate out. searches: searches of the served generation. pages: its
    pages as text. systems: generations as they are measured. evaluation: the gate. labels: the judgments of test sets.
    labelling: labels of several judges. queries: the log of queries. auditor: audits. releases: promotions, rollbacks.
    """

    def __init__(self, settings: Settings, generation: str | None = None) -> None:
        self.settings = settings
        self.parts = Parts(settings)
        self.searches = Searches(self.parts, generation)

    # Each task is loaded on first use: what a search does not need takes a quarter of the time that a command starts.

    @LockedProperty
    def builds(self) -> "Builds":
        """Sources in, a candidate out."""
        from assay.app.building import Builds

        return Builds(self.parts)

    @LockedProperty
    def systems(self) -> "Systems":
        """Generations opened for measurement."""
        from assay.app.systems import Systems

        return Systems(self.parts, self.searches)

    @LockedProperty
    def pages(self) -> "Pages":
        """Pages of the generation that answers searches."""
        from assay.app.pages import Pages

        return Pages(self.parts, self.searches, self.systems)

    @LockedProperty
    def evaluation(self) -> "Evaluation":
        """The gate."""
        from assay.app.evaluation import Evaluation

        return Evaluation(self.parts, self.systems)

    @LockedProperty
    def labels(self) -> "Labels":
        """The judgments of test sets."""
        from assay.app.labels import Labels

        return Labels(self.parts, self.systems)

    @LockedProperty
    def labelling(self) -> "LabelDesk":
        """The labels of several judges."""
        from assay.app.labelling import LabelDesk

        return LabelDesk(self.parts, self.systems, self.labels, self.evaluation)

    @LockedProperty
    def queries(self) -> "Queries":
        """The queries of readers."""
        from assay.app.queries import Queries

        return Queries(self.parts, lambda: self.evaluation.test_set_path())  # noqa: PLW0108 - loads it on first use

    @LockedProperty
    def auditor(self) -> "Auditor":
        """Audits."""
        from assay.app.auditing import Auditor

        return Auditor(self.parts, self.systems)

    @LockedProperty
    def releases(self) -> "Releases":
        """Promotions, rollbacks and retention."""
        from assay.app.releases import Releases

        return Releases(self.parts, self.builds, self.systems, self.evaluation)

    @classmethod
    def open(cls, settings: Settings, *, generation: str | None = None) -> Self:
        """Open Assay with these settings. Files are opened on first use.

        generation: id of the generation to search instead of the live one, or `candidate`.
        """
        return cls(settings, generation)

    @classmethod
    def from_environment(cls) -> Self:
        """Open Assay with the settings of the environment and of assay.toml. Raises ConfigurationError."""
        return cls(load_settings())

    def __enter__(self) -> Self:
        self.parts.require_open()
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the index, the catalog and the embedder, and end the threads.

        Every later call but a second close() raises CatalogUnavailable.
        """
        self.searches.close()
        self.parts.close()

    @overload
    def search(self, query: Query, *, embed: Embed | None = None) -> Ranking: ...

    @overload
    def search(
        self,
        query: str,
        top_k: int | None = None,
        *,
        embed: Embed | None = None,
        **options: Unpack[native.SearchOptions],
    ) -> Ranking: ...

    def search(
        self,
        query: Query | str,
        top_k: int | None = None,
        *,
        embed: Embed | None = None,
        **options: Unpack[native.SearchOptions],
    ) -> Ranking:
        """Search the live generation, or the generation named when Assay was opened.

        query: the text, with top_k (1 to 100) and the options of native.SearchOptions; or all in one Query.
        embed: when to embed the query; None to follow `[search] keyword_fallback`. Without an embedding only keyword
            search answers, and hits have no similarity.

        Raises InputError, NoLiveGeneration, GenerationNotFound, IdentityMismatch, EmbeddingError, VectorStoreError,
        CatalogError.
        """
        return native.with_places(self.searches.search(query, top_k, embed=embed, **options))

    def suggest(self, text: str, limit: int = 10) -> list[Name]:
        """Titles and headings that have every word of a text, the last of which may be unfinished; the best first.

        If none has, those of the corrected text. For a search box: it takes a few milliseconds and embeds nothing.

        Raises InputError for a text or limit that `GET /v1/suggest` refuses, NoLiveGeneration, VectorStoreError,
        CatalogError.
        """
        request = suggestions.parse({"q": text, "limit": limit})
        return self.searches.suggest(request.q, request.limit)[0]

    def publish(self, *, rebuild: bool = False, progress: Progress | None = None) -> "PublishReport":
        """Build and validate a candidate. Promotes it after PASS, rejects it after FAIL, keeps it if INCONCLUSIVE.

        rebuild: reuse nothing of earlier generations.

        Raises what Builds.ingest, validate and promote raise.
        """
        with self.searches.expecting_promotion():
            return self.releases.publish(rebuild=rebuild, progress=progress)

    def validate(
        self,
        generation_id: str | None = None,
        test_set: str | Path | None = None,
        progress: Progress | None = None,
        load: "Sequence[Load]" = (),
        *,
        check_urls: bool = False,
    ) -> Validation:
        """Measure a generation, judge it by the gate, and store the verdict with it.

        generation_id: an id, `live` or `candidate`; None for the candidate, or else the live generation.
        test_set: file of labelled queries; None for that of [validation], else that of the last verdict. Without
            any, only structural checks run.
        load: load patterns to measure latency under, one after the other.
        check_urls: request the URL of each hit; a dead link fails the validation.

        Raises InputError for an invalid test set or argument; GenerationNotFound, CatalogError if the generation's
        record cannot be read. A topic that cannot be searched and a check that cannot run become findings.
        """
        _require_names(generation_id, test_set)
        path = None if test_set is None else Path(test_set)
        return self.evaluation.validate(generation_id, path, progress, load, check_urls=check_urls)

    def write_report(self, validation: Validation, progress: Progress | None = None) -> dict[str, Path]:
        """Write a validation as JSON, HTML, Markdown and JUnit XML into the folder of [validation]: all files or none.

        Returns the path of each file by its suffix. Raises FileUnwritable if they cannot be written.
        """
        require_type("validation", validation, Validation, "what validate() returns")
        return self.evaluation.write_report(validation, progress)

    def promote(
        self, generation_id: str | None = None, progress: Progress | None = None, test_set: str | Path | None = None
    ) -> Generation:
        """Make the candidate live, or the named generation. Validates it first unless it has a valid PASS.

        One that is live already stays live.

        test_set: as in validate.

        Raises PromotionRefused, InvalidTransition, GenerationNotFound, IndexNotOurs, and what validate raises.
        """
        _require_names(generation_id, test_set)
        with self.searches.expecting_promotion():
            return self.releases.promote(generation_id, progress, None if test_set is None else Path(test_set))

    def rollback(self) -> Generation:
        """Make the previous live generation live again. Raises GenerationNotFound, IndexNotOurs."""
        with self.searches.expecting_promotion():
            return self.releases.rollback()

    def generations(self) -> list[Generation]:
        """List all generations, newest first. Raises CatalogError."""
        return self.releases.generations()


def _require_names(generation_id: object, test_set: object) -> None:
    require_type("generation_id", generation_id, (str, NoneType), "the id of a generation, `live` or `candidate`")
    require_type("test_set", test_set, (str, PathLike, NoneType), "text or a path")
