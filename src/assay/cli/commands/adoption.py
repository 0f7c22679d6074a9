"""What `assay doctor` finds of a collection that Assay did not make, and what to set to serve it."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, SecretStr
from rich.console import Console
from rich.markup import escape

from assay.app import Assay
from assay.cli.commands.diagnosis import Check
from assay.errors import AssayError
from assay.model.counting import counted
from assay.model.evaluation import MOST_EXAMPLES
from assay.ports import AdoptedPoint, Progress
from assay.validation.survey import KINDS, ModelCheck, Survey, check_model, survey

if TYPE_CHECKING:
    from assay.app.adoption import CollectionFindings, Shape

_SHOWN = 3

STAND_INS: Mapping[str, str] = {
    "text": "such points are never found",
    "url": "an address at docs.invalid stands in",
    "chunk_id": "the point's id stands in",
    "position": "0 stands in",
    "title": "results have none",
    "section": "results have none, and `sections` cannot filter",
    "source_path": "the path of the URL stands in",
    "slug": "one made from the path stands in",
    "document_id": "one made from the URL stands in",
    "created_at": "results have none",
    "content_hash": "it is computed, and there is nothing to check",
}
"""What a search does about each field that a point lacks."""

_WORTH_A_WARNING = frozenset({"text", "url", "position", "title", "created_at"})
"""Fields that a reader of results would miss."""


@dataclass(frozen=True, slots=True)
class AdoptionReport:
    """What was found.

    found: everything as JSON.
    settings: what to put into assay.toml.
    """

    checks: tuple[Check, ...]
    found: Mapping[str, object]
    settings: str


class _Report:
    """Grows while one thing after another is looked at."""

    def __init__(self, collection: str) -> None:
        self.checks: list[Check] = []
        self.found: dict[str, object] = {"collection": collection}

    def attempt(self, name: str, look: Callable[[], Check]) -> bool:
        """Add a check, or why it could not be made. Whether it did not fail."""
        try:
            check = look()
        except AssayError as error:
            check = Check(name, "fail", str(error))
        self.checks.append(check)
        return check.level != "fail"


def examine_adopted(assay: Assay, progress: Progress, *, ask_provider: bool, sample: int | None) -> AdoptionReport:
    """Look at the collection of [index] adopt. Nothing is raised but ConfigurationError: what fails is a check.

    ask_provider: whether to have the model embed some texts also where that costs something.
    sample: look at so many points; None for all.
    """
    store = assay.parts.adopted_store
    report = _Report(store.collection.name)
    shapes: list[Shape] = []
    findings: list[CollectionFindings] = []

    def look_at_collection() -> Check:
        shape = store.shape()
        shapes.append(shape)
        points = store.collection.count()
        report.found |= {"points": points} | _shape_body(shape)
        return Check("collection", "ok", f"{store.collection.name}, {counted(points, 'point')}; {_shape_words(shape)}.")

    def look_at_payload() -> Check:
        found = store.examine()
        findings.append(found)
        report.found |= {
            "preset": found.likely.preset.name if found.likely else None,
            "mapping": {name: list(paths) for name, paths in found.mapping.paths.items() if paths},
            "keywords": found.searched.sparse,
        }
        return Check("payload", "ok", _payload_words(assay, found))

    if report.attempt("collection", look_at_collection) and report.attempt("payload", look_at_payload):
        found = findings[0]
        report.attempt("dimensions", lambda: _dimensions(assay, found))
        report.checks.append(_keywords(assay, found))
        points = _look_at_points(assay, report, found, progress, sample)
        if ask_provider:
            report.attempt("model", lambda: _model(assay, report, found, points))
        else:
            message = "not asked whether it made the vectors (`assay doctor --ask-provider` embeds some texts anew)."
            report.checks.append(Check("model", "ok", message))
    settings = _settings(assay, shapes[0] if shapes else None, findings[0] if findings else None)
    report.found["settings"] = settings
    return AdoptionReport(tuple(report.checks), report.found, settings)


def show_settings(console: Console, report: AdoptionReport) -> None:
    """What to put into assay.toml; nothing where there is no such collection."""
    if "points" not in report.found:
        return
    console.print("\nTo serve it, assay.toml needs:\n")
    for line in report.settings.splitlines():
        console.print(f"    {escape(line)}" if line else "")


# --- one look after another ----------------------------------------------------------------------------------------


def _dimensions(assay: Assay, found: "CollectionFindings") -> Check:
    identity = assay.parts.embedder.identity
    assay.parts.adopted_store.require_dimension(found.dense, identity.dimension)
    return Check(
        "dimensions", "ok", f"{identity.provider} {identity.model} and the collection both have {identity.dimension}."
    )


def _keywords(assay: Assay, found: "CollectionFindings") -> Check:
    if found.searched.sparse is not None:
        return Check("keyword search", "ok", f"possible: {found.keywords}.")
    wanted = assay.settings.search.mode.value
    return Check(
        "keyword search",
        "ok" if wanted == "dense" else "warn",
        f"not possible: {found.keywords}. Hybrid searches answer by meaning alone.",
    )


def _look_at_points(
    assay: Assay, report: _Report, found: "CollectionFindings", progress: Progress, sample: int | None
) -> Sequence[AdoptedPoint]:
    """The whole collection, point by point. Returns a few from all over it."""
    store = assay.parts.adopted_store
    try:
        result = survey(
            store.index(found).points(),
            store.collection.count(),
            found.dense.dimension,
            assay.parts.embedder,
            progress,
            limit=sample,
            by_cosine=found.dense.distance == "Cosine",
        )
    except AssayError as error:
        report.checks.append(Check("points", "fail", str(error)))
        return ()
    report.found["survey"] = {
        "points": result.points,
        "whole": result.whole,
        "documents": result.documents,
        "missing": result.missing,
        "faults": {
            kind: {"count": fault.count, "examples": fault.examples[:MOST_EXAMPLES]}
            for kind, fault in result.faults.items()
            if fault.count
        },
    }
    report.checks += [_fields(result, found), _faults(result)]
    return result.sample


def _fields(result: Survey, found: "CollectionFindings") -> Check:
    if not result.missing:
        return Check("fields", "ok", f"each of the {counted(result.points, 'point')} has every field.")
    parts = []
    for name, count in sorted(result.missing.items(), key=lambda item: (-item[1], item[0])):
        looked = "" if found.mapping.of(name) else ", for it is not mapped"
        stand_in = STAND_INS[name]
        if name == "url" and result.paths_only:
            stand_in += "; set [index.mapping] base_url to where the site is, for there are paths"
        parts.append(f"{name} in {count}{looked} ({stand_in})")
    return Check(
        "fields",
        "warn" if _WORTH_A_WARNING & result.missing.keys() else "ok",
        f"of {counted(result.points, 'point')}, missing: {'; '.join(parts)}.",
    )


def _faults(result: Survey) -> Check:
    part = "" if result.whole else " (a part of the collection)"
    looked_at = f"{counted(result.points, 'point')} on {counted(result.documents, 'page')}{part}"
    bad = {kind: fault for kind, fault in result.faults.items() if fault.count}
    if not bad:
        return Check("points", "ok", f"{looked_at}; nothing is wrong with them.")
    parts = [
        f"{kind}: {fault.count} against “{KINDS[kind]}”, e.g. {' | '.join(fault.examples[:_SHOWN])}"
        for kind, fault in bad.items()
    ]
    return Check("points", "warn", f"{looked_at}; {'; '.join(parts)}.")


def _model(assay: Assay, report: _Report, found: "CollectionFindings", points: Sequence[AdoptedPoint]) -> Check:
    if found.dense.dimension != assay.parts.embedder.identity.dimension:
        return Check("model", "fail", "it makes vectors of another length, so it did not make these.")
    result = check_model(points, assay.parts.embedder)
    report.found["model"] = asdict(result)
    levels: Mapping[str, Literal["ok", "warn", "fail"]] = {"same": "ok", "other": "fail", "mixed": "fail"}
    return Check("model", levels.get(result.verdict, "warn"), _model_words(assay, result))


def _model_words(assay: Assay, result: ModelCheck) -> str:
    identity = assay.parts.embedder.identity
    name = f"{identity.provider} {identity.model}"
    if result.same is None:
        return f"no text could be compared, so whether {name} made the vectors is not known."
    others = "" if result.other is None else f", of different texts {result.other:.2f}"
    embedded = f"{counted(result.compared, 'text')} embedded anew"
    figures = f"{embedded}, cosine with the stored vectors {result.same:.3f} (median){others}"
    match result.verdict:
        case "same":
            return f"{name} made the vectors: {figures}."
        case "related":
            return (
                f"{name} or one of its kind made the vectors, and from other words than the passage alone, such as a "
                f"title in front of it, or as queries instead of documents: {figures}."
            )
        case "mixed":
            return (
                f"{name} made some of the vectors and another model made others ({result.unlike} of those compared), "
                f"which searches cannot find: {figures}. Embed the collection anew with one model."
            )
        case _:
            return (
                f"another model than {name} made the vectors, and searches would find nothing to the point: {figures}. "
                "Set [embedding] provider and model to the one that did."
            )


# --- words ---------------------------------------------------------------------------------------------------------


def _shape_words(shape: "Shape") -> str:
    dense = [
        f"dense {one.label}: {one.dimension} dimensions, {one.distance}"
        + (f", {one.kept_as}" if one.kept_as != "float32" else "")
        + (f" (cannot be searched: {one.problem})" if one.problem else "")
        for one in shape.dense
    ]
    sparse = [f"sparse {one.name!r}{' with IDF' if one.idf else ' without IDF'}" for one in shape.sparse]
    quantized = ["quantized"] if shape.quantized else []
    return "; ".join([*dense, *sparse, *quantized]) or "no vectors"


def _shape_body(shape: "Shape") -> dict[str, Any]:
    return {
        "dense": [
            {
                "name": one.name,
                "dimension": one.dimension,
                "distance": one.distance,
                "kept_as": one.kept_as,
                "problem": one.problem or None,
            }
            for one in shape.dense
        ],
        "sparse": [{"name": one.name, "idf": one.idf} for one in shape.sparse],
        "quantized": shape.quantized,
    }


def _payload_words(assay: Assay, found: "CollectionFindings") -> str:
    index = assay.settings.index
    looks = "none that is known"
    if found.likely is not None:
        looks = f"{found.likely.preset.name} ({found.likely.share:.0%} of {found.sampled} sampled points)"
    if index.preset is not None and (found.likely is None or found.likely.preset.name != index.preset):
        return f"read as {index.preset}, as set; it looks like {looks}."
    if index.mapping.paths:
        return f"read by [index.mapping] first ({', '.join(index.mapping.paths)}); it looks like {looks}."
    return f"it looks like {looks}."


def _settings(assay: Assay, shape: "Shape | None", found: "CollectionFindings | None") -> str:
    """What to put into assay.toml, as far as it is known."""
    index = assay.settings.index
    ours = _dimension_of(assay)
    lines = [*_given("qdrant", assay.settings.qdrant), "", "[index]", f"adopt = {_toml(index.adopt)}"]
    preset = index.preset or (found.likely.preset.name if found and found.likely else None)
    if preset:
        lines.append(f"preset = {_toml(preset)}")
    if shape is not None and len(shape.dense) > 1:
        fitting = [one.name for one in shape.dense if one.dimension == ours and not one.problem]
        chosen = index.vector if index.vector is not None else fitting[0] if len(fitting) == 1 else None
        others = ", ".join(one.name for one in shape.dense)
        lines.append(f"vector = {_toml(chosen)}" if chosen is not None else f'vector = ""  # one of: {others}')
    if _told(index.mapping) or (shape is not None and found is None):
        lines += ["", "[index.mapping]"]
        lines += [f"{name} = {_toml(value)}" for name, value in _told(index.mapping)]
        if not index.mapping.paths:
            lines += ['text = ""  # where the passage is', 'url = ""  # where the address of its page is']
    dense = found.dense if found else shape.dense[0] if shape is not None and len(shape.dense) == 1 else None
    lines += ["", *_embedding(assay, None if dense is None else dense.dimension)]
    if found is not None and found.searched.sparse is None:
        lines += ["", "[search]", 'mode = "dense"']
    return "\n".join(lines) + "\n"


def _embedding(assay: Assay, dimension: int | None) -> list[str]:
    if dimension is None or dimension == _dimension_of(assay):
        lines = _given("embedding", assay.settings.embedding)
        return lines if len(lines) > 1 else [*lines, f"provider = {_toml(assay.settings.embedding.provider)}"]
    known = assay.parts.adopted_store.models_of(dimension)
    comment = f"  # of {dimension} dimensions: {', '.join(known)}" if known else f"  # one of {dimension} dimensions"
    return [
        "[embedding]",
        'provider = ""  # that of the model that the collection was made with',
        f'model = ""{comment}',
    ]


def _dimension_of(assay: Assay) -> int | None:
    """Length of the configured model's vectors; None where it cannot be told, which has a check of its own."""
    try:
        return assay.parts.embedder.identity.dimension
    except AssayError:
        return None


def _given(name: str, table: BaseModel) -> list[str]:
    """A table of settings with what is set, wherever that was; keys stay where they are."""
    return [f"[{name}]", *(f"{setting} = {_toml(value)}" for setting, value in _told(table))]


def _told(table: BaseModel) -> list[tuple[str, object]]:
    """The settings of a table that are not the defaults, keys left out."""
    return [
        (name, value)
        for name, field in type(table).model_fields.items()
        if (value := getattr(table, name)) != field.default and not isinstance(value, SecretStr)
    ]


def _toml(value: object) -> str:
    """A basic string, a number, a truth, or a list of them: JSON's spelling is TOML's too."""
    return json.dumps(value, ensure_ascii=False)
