"""Settings for one measurement: a line such as `mode=sparse`, a TOML file, or a grid of runs.

Unset values are those of assay.toml.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from assay.app.rerankers import reranker_identity
from assay.errors import InputError
from assay.model.field_errors import field_error
from assay.model.ranking import FusionMethod, Mode
from assay.model.spelling import nearest
from assay.settings import ChunkingSettings, RerankSettings, SearchSettings, Settings
from assay.settings.toml_file import read_toml

Table = TypeVar("Table", bound=BaseModel)

SEARCH_KEYS = ("mode", "threshold", "fusion", "dense_weight", "sparse_weight", "rrf_k", "depth")
RERANK_KEYS = ("provider", "model", "base_url", "depth", "timeout")
CHUNKING_KEYS = ("max_characters", "overlap")
DEFAULT_MEASURE = "nDCG@10"

DEFAULT_GRID = "default"
"""Name of the built-in grid, in place of a file."""

_RERANK = "rerank."
_MOST_RUNS = 200
_HINT = "`assay docs sweeping` shows a file."


@dataclass(frozen=True, slots=True)
class Variant:
    """Settings of one measurement.

    generation: id of the generation to search; None for the default.
    chunking: settings to chunk the documents again; None for the existing chunks.
    rerank: settings of the reranker; None for those of [rerank].
    """

    name: str
    search: SearchSettings
    generation: str | None = None
    chunking: ChunkingSettings | None = None
    rerank: RerankSettings | None = None


@dataclass(frozen=True, slots=True)
class Grid:
    """The runs of a sweep. measure: name of the measure that decides which run is best."""

    variants: tuple[Variant, ...]
    measure: str = DEFAULT_MEASURE


def variant_of(text: str, settings: Settings) -> Variant:
    """Parse a line such as `mode=hybrid,rerank.depth=20`, or the name of a mode. Raises InputError."""
    if text in set(Mode):
        return _variant({"mode": text}, settings, text, text)
    values: dict[str, Any] = {}
    for part in text.split(","):
        key, sign, value = (piece.strip() for piece in part.partition("="))
        if not sign or not key or not value:
            raise InputError(f"{text}: {part.strip()!r} is not a setting.", hint="Write NAME=VALUE, as in mode=sparse.")
        if key in values:
            raise InputError(f"{text}: {key} is set twice.", hint="Set it once.")
        values[key] = value
    rerank = {key.removeprefix(_RERANK): values.pop(key) for key in list(values) if key.startswith(_RERANK)}
    if rerank and "rerank" in values:
        raise InputError(f"{text}: rerank is set twice.", hint="Set it once.")
    if rerank:
        values["rerank"] = rerank
    elif values.get("rerank") in {"false", "off", "none"}:
        values["rerank"] = False
    return _variant(values, settings, text, text, keys=(*SEARCH_KEYS, "rerank", "generation"))


def variant_in(path: Path, settings: Settings) -> Variant:
    """Read the settings in a TOML file, at its top level or under `[search]` and `[rerank]`. Raises InputError."""
    values = read_toml(path, InputError, _HINT)
    if isinstance(values.get("search"), dict) and values.keys() <= {"search", "rerank"}:
        values = values.pop("search") | values
    return _variant(values, settings, str(path), path.name, keys=(*SEARCH_KEYS, "rerank", "generation"))


def grid_in(path: Path, settings: Settings) -> Grid:
    """Read the runs in a TOML file. Raises InputError that names the run and the invalid key."""
    values = read_toml(path, InputError, _HINT)
    _refuse_unknown(values, ("run", "measure"), str(path))
    runs, measure = values.get("run"), values.get("measure", DEFAULT_MEASURE)
    if not isinstance(runs, list) or not runs or not all(isinstance(run, dict) for run in runs):
        raise InputError(f"{path}: it has no [[run]] tables.", hint=_HINT)
    if not isinstance(measure, str):
        raise InputError(f"{path}: measure must be the name of a measure, such as nDCG@10.")
    if len(runs) > _MOST_RUNS:
        raise InputError(
            f"{path}: it has {len(runs)} runs; at most {_MOST_RUNS} are allowed.", hint="Split it into several sweeps."
        )
    variants = [_run(run, settings, f"{path}, run {number}") for number, run in enumerate(runs, start=1)]
    names = [variant.name for variant in variants]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{path}: two runs have the name {name!r}.", hint="Give each run a different `name`.")
    return Grid(tuple(variants), measure)


def default_grid(settings: Settings, *, chunkers: bool) -> Grid:
    """Return the built-in grid: the present settings first, then other modes, weights, fusions and chunk sizes.

    chunkers: include runs that chunk and embed the documents again.
    """
    weight = settings.dense_weight
    runs: list[dict[str, Any]] = [{"name": "as set"}, {"mode": "sparse"}, {"mode": "dense"}]
    runs += [{"mode": "hybrid", "fusion": "score", "dense_weight": round(weight * f, 3)} for f in (0.5, 1.0, 2.0, 4.0)]
    runs += [{"mode": "hybrid", "fusion": "rrf", "dense_weight": w} for w in dict.fromkeys((1.0, round(weight, 3)))]
    if chunkers:
        runs += [{"chunking": {"max_characters": size}} for size in (500, 1_000, 1_800)]
        runs += [{"chunking": {"max_characters": 1_000, "overlap": 200}}]
    variants = [_run(run, settings, "the default grid") for run in runs]
    by_effect: dict[object, Variant] = {}
    for variant in variants:
        by_effect.setdefault(_effect(variant, settings), variant)
    return Grid(tuple(by_effect.values()))


def _effect(variant: Variant, settings: Settings) -> object:
    """Return the values that have an effect, to recognize equal variants under different names."""
    search = variant.search
    chunking = variant.chunking or settings.chunking
    cut = chunking.max_characters, chunking.overlap
    if search.mode is not Mode.HYBRID:
        return search.mode, search.threshold, cut
    weight = search.dense_weight if search.dense_weight is not None else settings.dense_weight
    constant = search.rrf_k if search.fusion is FusionMethod.RRF else 0
    return (
        search.mode,
        search.threshold,
        search.fusion,
        weight / search.sparse_weight if search.sparse_weight else math.inf,
        constant,
        search.depth,
        cut,
    )


def described(variant: Variant, settings: Settings) -> dict[str, str]:
    """Return the settings that have an effect, by name."""
    search = variant.search
    values: dict[str, object] = {"mode": search.mode.value}
    if search.mode is Mode.HYBRID:
        weight = search.dense_weight if search.dense_weight is not None else settings.dense_weight
        values |= {"fusion": search.fusion.value, "dense_weight": weight, "sparse_weight": search.sparse_weight}
        values |= {"rrf_k": search.rrf_k} if search.fusion is FusionMethod.RRF else {}
        values["depth"] = search.depth
    values |= {"threshold": search.threshold} if search.threshold else {}
    if variant.rerank is not None:
        identity = reranker_identity(variant.rerank)
        values["rerank"] = f"{identity.provider} {identity.model}" if identity else "none"
        values |= {"rerank_depth": variant.rerank.depth} if identity else {}
    if variant.chunking is not None:
        values |= {"max_characters": variant.chunking.max_characters, "overlap": variant.chunking.overlap}
    return {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in values.items()}


def _run(values: Mapping[str, Any], settings: Settings, where: str) -> Variant:
    name = values.get("name", "")
    if not isinstance(name, str):
        raise InputError(f"{where}: name must be a string.", hint=_HINT)
    rest = {key: value for key, value in values.items() if key != "name"}
    return _variant(rest, settings, where, name.strip(), keys=(*SEARCH_KEYS, "rerank", "chunking"))


def _variant(
    values: Mapping[str, Any], settings: Settings, where: str, name: str, keys: Sequence[str] = SEARCH_KEYS
) -> Variant:
    _refuse_unknown(values, keys, where)
    changes = {key: value for key, value in values.items() if key in SEARCH_KEYS}
    search = _validated(SearchSettings, settings.search.model_dump() | changes, where)
    _check_weights(search, settings, where)
    chunking = None
    if (table := values.get("chunking")) is not None:
        if not isinstance(table, Mapping):
            raise InputError(
                f"{where}: chunking must be a table.", hint="For example {max_characters = 1000, overlap = 0}."
            )
        _refuse_unknown(table, CHUNKING_KEYS, f"{where}, chunking")
        chunking = _validated(ChunkingSettings, settings.chunking.model_dump() | dict(table), f"{where}, chunking")
        if chunking.overlap > chunking.max_characters // 2:
            raise InputError(
                f"{where}, chunking: an overlap of {chunking.overlap} characters is too large for chunks of at most "
                f"{chunking.max_characters}.",
                hint=f"Set it to at most {chunking.max_characters // 2}.",
            )
    generation = values.get("generation")
    if generation is not None and not isinstance(generation, str):
        raise InputError(f"{where}: generation must be an id, `live` or `candidate`.")
    rerank = _rerank(values["rerank"], settings.rerank, f"{where}, rerank") if "rerank" in values else None
    return Variant(name or _default_name(values) or "as set", search, generation, chunking, rerank)


def _rerank(value: object, configured: RerankSettings, where: str) -> RerankSettings:
    """The reranker of a variant: false for none, else a table that changes the configured one."""
    if value is False:
        return RerankSettings()
    if not isinstance(value, Mapping):
        raise InputError(
            f"{where}: it must be false or a table.", hint='For example {provider = "cohere", depth = 50}.'
        )
    _refuse_unknown(value, RERANK_KEYS, where)
    given = configured.model_dump()
    if value.get("provider", configured.provider) != configured.provider:
        given = {name: given[name] for name in ("depth", "timeout", "calls")}  # the others are the configured one's
    if value.get("provider", configured.provider) is None:
        raise InputError(f"{where}: [rerank] names no provider.", hint="Set rerank.provider too.")
    return _validated(RerankSettings, given | dict(value), where)


def _default_name(values: Mapping[str, Any]) -> str:
    """Return a name made of the values."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        flat |= value if isinstance(value, Mapping) else {key: value}
    return " ".join(str(value) if key in {"mode", "fusion"} else f"{key}={value}" for key, value in flat.items())


def _refuse_unknown(values: Mapping[str, Any], keys: Sequence[str], where: str) -> None:
    """Raise InputError that lists the unknown keys with suggestions."""
    unknown = [key for key in values if key not in keys]
    if not unknown:
        return
    names = [f"{key!r}" + (f" (did you mean {near}?)" if (near := nearest(key, keys)) else "") for key in unknown]
    raise InputError(f"{where}: there is no setting {', '.join(names)}.", hint=f"The settings: {', '.join(keys)}.")


def _validated(kind: type[Table], values: Mapping[str, Any], where: str) -> Table:
    try:
        return kind.model_validate(dict(values))
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=False)
        problems = [f"{'.'.join(map(str, one['loc']))} = {one['input']!r}: {field_error(one['msg'])}" for one in errors]
        raise InputError(f"{where}: {'; '.join(problems)}.") from None


def _check_weights(search: SearchSettings, settings: Settings, where: str) -> None:
    dense = search.dense_weight if search.dense_weight is not None else settings.dense_weight
    if not (math.isfinite(dense) and math.isfinite(search.sparse_weight)):
        raise InputError(f"{where}: weights must be finite numbers.")
    if search.mode is Mode.HYBRID and not dense and not search.sparse_weight:
        raise InputError(f"{where}: one of the two weights must be more than 0.")
