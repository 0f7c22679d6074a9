"""The checks of `assay doctor` for an adopted collection, and the settings to serve it."""

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

FALLBACKS: Mapping[str, str] = {
    "text": "such points are never found",
    "url": "results have a URL at docs.invalid",
    "chunk_id": "results have the point's id",
    "position": "results have 0",
    "title": "results have none",
    "section": "results have none, and `sections` cannot filter",
    "source_path": "results have the path of the URL",
    "slug": "results have one made from the path",
    "document_id": "results have one made from the URL",
    "created_at": "results have none",
    "content_hash": "it is computed, and cannot be checked",
}
"""What search results have in place of each field that a point lacks."""

_VISIBLE_FIELDS = frozenset({"text", "url", "position", "title", "created_at"})
"""Fields whose absence deserves a warning."""


@dataclass(frozen=True, slots=True)
class AdoptionReport:
    """The checks of an adopted collection.

    found: all findings as JSON.
    settings: the tables for assay.toml.
    """

    checks: tuple[Check, ...]
    found: Mapping[str, object]
    settings: str


class _Report:
    """Collects checks and findings."""

    def __init__(self, collection: str) -> None:
        self.checks: list[Check] = []
        self.found: dict[str, object] = {"collection": collection}

    def run(self, name: str, check: Callable[[], Check]) -> bool:
        """Add the result of a check, or its error as a failure. Return whether it did not fail."""
        try:
            result = check()
        except AssayError as error:
            result = Check(name, "fail", str(error))
        self.checks.append(result)
        return result.level != "fail"


def examine_adopted(assay: Assay, progress: Progress, *, ask_provider: bool, sample: int | None) -> AdoptionReport:
    """Check the collection of [index] adopt. An error becomes a failed check.

    ask_provider: embed some texts again even with a paid provider.
    sample: number of points to check; None for all.

    Raises ConfigurationError.
    """
    store = assay.parts.adopted_store
    report = _Report(store.collection.name)
    shapes: list[Shape] = []
    findings: list[CollectionFindings] = []

    def check_collection() -> Check:
        shape = store.shape()
        shapes.append(shape)
        points = store.collection.count()
        report.found |= {"points": points} | _shape_body(shape)
        return Check("collection", "ok", f"{store.collection.name}, {counted(points, 'point')}; {_shape_words(shape)}.")

    def check_payload() -> Check:
        found = store.examine()
        findings.append(found)
        report.found |= {
            "preset": found.preset_match.preset.name if found.preset_match else None,
            "mapping": {name: list(paths) for name, paths in found.mapping.paths.items() if paths},
            "keywords": found.plan.sparse,
        }
        return Check("payload", "ok", _payload_words(assay, found))

    if report.run("collection", check_collection) and report.run("payload", check_payload):
        found = findings[0]
        report.run("dimensions", lambda: _dimensions(assay, found))
        report.checks.append(_keywords(assay, found))
        points = _check_points(assay, report, found, progress, sample)
        if ask_provider:
            report.run("model", lambda: _model(assay, report, found, points))
        else:
            message = "not compared with the vectors (`assay doctor --ask-provider` embeds some texts again)."
            report.checks.append(Check("model", "ok", message))
    settings = _settings(assay, shapes[0] if shapes else None, findings[0] if findings else None)
    report.found["settings"] = settings
    return AdoptionReport(tuple(report.checks), report.found, settings)


def show_settings(console: Console, report: AdoptionReport) -> None:
    """Print the tables for assay.toml; nothing if there is no such collection."""
    if "points" not in report.found:
        return
    console.print("\nTo serve it, assay.toml needs:\n")
    for line in report.settings.splitlines():
        console.print(f"    {escape(line)}" if line else "")


def _dimensions(assay: Assay, found: "CollectionFindings") -> Check:
    identity = assay.parts.embedder.identity
    assay.parts.adopted_store.require_dimension(found.dense, identity.dimension)
    return Check(
        "dimensions", "ok", f"{identity.provider} {identity.model} and the collection both have {identity.dimension}."
    )


def _keywords(assay: Assay, found: "CollectionFindings") -> Check:
    if found.plan.sparse is not None:
        return Check("keyword search", "ok", f"possible: {found.keywords}.")
    wanted = assay.settings.search.mode.value
    return Check(
        "keyword search",
        "ok" if wanted == "dense" else "warn",
        f"not possible: {found.keywords}. Hybrid searches use the dense vectors only.",
    )


def _check_points(
    assay: Assay, report: _Report, found: "CollectionFindings", progress: Progress, sample: int | None
) -> Sequence[AdoptedPoint]:
    """Check every point. Return a sample of them."""
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
        unmapped = "" if found.mapping.of(name) else ", because it is not mapped"
        fallback = FALLBACKS[name]
        if name == "url" and result.paths_only:
            fallback += "; the points have paths, so set [index.mapping] base_url to the URL of the site"
        parts.append(f"{name} in {count}{unmapped} ({fallback})")
    return Check(
        "fields",
        "warn" if _VISIBLE_FIELDS & result.missing.keys() else "ok",
        f"of {counted(result.points, 'point')}, missing: {'; '.join(parts)}.",
    )


def _faults(result: Survey) -> Check:
    part = "" if result.whole else " (a part of the collection)"
    checked = f"{counted(result.points, 'point')} on {counted(result.documents, 'page')}{part}"
    parts = [
        f"{kind}: {counted(fault.count, 'violation')} of “{KINDS[kind]}”, e.g. {' | '.join(fault.examples[:_SHOWN])}"
        for kind, fault in result.faults.items()
        if fault.count
    ]
    if not parts:
        return Check("points", "ok", f"{checked}; all are sound.")
    return Check("points", "warn", f"{checked}; {'; '.join(parts)}.")


def _model(assay: Assay, report: _Report, found: "CollectionFindings", points: Sequence[AdoptedPoint]) -> Check:
    if found.dense.dimension != assay.parts.embedder.identity.dimension:
        return Check("model", "fail", "its vectors have another length, so it did not make these.")
    result = check_model(points, assay.parts.embedder)
    report.found["model"] = asdict(result)
    levels: Mapping[str, Literal["ok", "warn", "fail"]] = {"same": "ok", "other": "fail", "mixed": "fail"}
    return Check("model", levels.get(result.verdict, "warn"), _model_words(assay, result))


def _model_words(assay: Assay, result: ModelCheck) -> str:
    identity = assay.parts.embedder.identity
    name = f"{identity.provider} {identity.model}"
    if result.same is None:
        return f"no text could be compared, so it is unknown whether {name} made the vectors."
    others = "" if result.other is None else f", of different texts {result.other:.2f}"
    embedded = f"{counted(result.compared, 'text')} embedded again"
    figures = f"{embedded}, cosine with the stored vectors {result.same:.3f} (median){others}"
    match result.verdict:
        case "same":
            return f"{name} made the vectors: {figures}."
        case "related":
            return (
                f"{name} or a related model made the vectors, but from more than the passage (such as a title in front "
                f"of it), or as queries instead of documents: {figures}."
            )
        case "mixed":
            return (
                f"{name} made some of the vectors, and another model made others ({result.unlike} of those compared), "
                f"which searches cannot find: {figures}. Embed the whole collection again with one model."
            )
        case _:
            return (
                f"another model than {name} made the vectors, so searches would find nothing relevant: {figures}. "
                "Set [embedding] provider and model to those of the collection."
            )


def _shape_words(shape: "Shape") -> str:
    dense = [
        f"dense {one.label}: {one.dimension} dimensions, {one.distance}"
        + (f", {one.datatype}" if one.datatype != "float32" else "")
        + (f" (cannot be searched: {one.problem})" if one.problem else "")
        for one in shape.dense
    ]
    sparse = [f"sparse {one.name!r}{' with IDF' if one.idf else ' without IDF'}" for one in shape.sparse]
    quantized = ["quantized"] if shape.quantized else []
    return "; ".join([*dense, *sparse, *quantized]) or "no vectors"


def _shape_body(shape: "Shape") -> dict[str, Any]:
    return {
        "dense": [
            {name: getattr(one, name) for name in ("name", "dimension", "distance", "datatype")}
            | {"problem": one.problem or None}
            for one in shape.dense
        ],
        "sparse": [asdict(one) for one in shape.sparse],
        "quantized": shape.quantized,
    }


def _payload_words(assay: Assay, found: "CollectionFindings") -> str:
    index = assay.settings.index
    format_ = "no known format"
    if found.preset_match is not None:
        format_ = f"{found.preset_match.preset.name} ({found.preset_match.share:.0%} of {found.sampled} sampled points)"
    if index.preset is not None and (found.preset_match is None or found.preset_match.preset.name != index.preset):
        return f"read as {index.preset}, as set; it looks like {format_}."
    if index.mapping.paths:
        return f"read by [index.mapping] first ({', '.join(index.mapping.paths)}); it looks like {format_}."
    return f"it looks like {format_}."


def _settings(assay: Assay, shape: "Shape | None", found: "CollectionFindings | None") -> str:
    """Return the tables for assay.toml, with empty strings for unknown values."""
    index = assay.settings.index
    dimension = _dimension_of(assay)
    lines = [*_table_lines("qdrant", assay.settings.qdrant), "", "[index]", f"adopt = {_toml(index.adopt)}"]
    preset = index.preset or (found.preset_match.preset.name if found and found.preset_match else None)
    if preset:
        lines.append(f"preset = {_toml(preset)}")
    if shape is not None and len(shape.dense) > 1:
        matching = [one.name for one in shape.dense if one.dimension == dimension and not one.problem]
        chosen = index.vector if index.vector is not None else matching[0] if len(matching) == 1 else None
        names = ", ".join(one.name for one in shape.dense)
        lines.append(f"vector = {_toml(chosen)}" if chosen is not None else f'vector = ""  # one of: {names}')
    if _changed_settings(index.mapping) or (shape is not None and found is None):
        lines += ["", "[index.mapping]"]
        lines += [f"{name} = {_toml(value)}" for name, value in _changed_settings(index.mapping)]
        if not index.mapping.paths:
            lines += ['text = ""  # path of the text', 'url = ""  # path of the page\'s URL']
    dense = found.dense if found else shape.dense[0] if shape is not None and len(shape.dense) == 1 else None
    lines += ["", *_embedding(assay, None if dense is None else dense.dimension)]
    if found is not None and found.plan.sparse is None:
        lines += ["", "[search]", 'mode = "dense"']
    return "\n".join(lines) + "\n"


def _embedding(assay: Assay, dimension: int | None) -> list[str]:
    if dimension is None or dimension == _dimension_of(assay):
        lines = _table_lines("embedding", assay.settings.embedding)
        return lines if len(lines) > 1 else [*lines, f"provider = {_toml(assay.settings.embedding.provider)}"]
    known = assay.parts.adopted_store.models_with_dimension(dimension)
    comment = f"  # of {dimension} dimensions: {', '.join(known)}" if known else f"  # one of {dimension} dimensions"
    return [
        "[embedding]",
        'provider = ""  # the provider of the model that made the vectors',
        f'model = ""{comment}',
    ]


def _dimension_of(assay: Assay) -> int | None:
    """Return the length of the configured model's vectors; None if unknown, which has its own check."""
    try:
        return assay.parts.embedder.identity.dimension
    except AssayError:
        return None


def _table_lines(name: str, table: BaseModel) -> list[str]:
    """Format a table with its non-default settings, without secrets."""
    return [f"[{name}]", *(f"{setting} = {_toml(value)}" for setting, value in _changed_settings(table))]


def _changed_settings(table: BaseModel) -> list[tuple[str, object]]:
    """Return the settings of a table that differ from the defaults, without secrets."""
    return [
        (name, value)
        for name, field in type(table).model_fields.items()
        if (value := getattr(table, name)) != field.default and not isinstance(value, SecretStr)
    ]


def _toml(value: object) -> str:
    """Format a string, number, boolean or list of them for TOML, which accepts JSON's syntax."""
    return json.dumps(value, ensure_ascii=False)
