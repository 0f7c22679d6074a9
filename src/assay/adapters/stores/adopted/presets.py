"""Field mappings of known payloads: the seeds' pipelines, LangChain, LlamaIndex, Haystack and Assay itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.adapters.stores.adopted.mapping import FieldMapping


@dataclass(frozen=True, slots=True)
class Preset:
    """A known payload. signature: keys of every point."""

    name: str
    signature: tuple[str, ...]
    mapping: FieldMapping


@dataclass(frozen=True, slots=True)
class PresetMatch:
    """The preset of a collection. share: share of the sampled points with its signature, above one half."""

    preset: Preset
    share: float


_INSIDE: Mapping[str, tuple[str, ...]] = {
    "url": ("url", "source_url", "source"),
    "chunk_id": ("chunk_id",),
    "position": ("position", "chunk_index"),
    "title": ("title", "document_title"),
    "section": ("section", "heading", "Header 3", "Header 2", "Header 1"),
    "source_path": ("source_path", "file_path"),
    "slug": ("slug",),
    "document_id": ("document_id", "doc_id"),
    "created_at": ("created_at", "timestamp"),
    "content_hash": ("content_hash",),
    "version": ("version",),
    "locale": ("locale", "language"),
}
"""Common names of a document's metadata, in any library."""


def _within(prefix: str, **first: tuple[str, ...]) -> FieldMapping:
    """Common names below a prefix, after the given paths."""
    names = [*first, *(name for name in _INSIDE if name not in first)]
    return FieldMapping(
        {name: (*first.get(name, ()), *(f"{prefix}{path}" for path in _INSIDE.get(name, ()))) for name in names}
    )


def _flat(**paths: tuple[str, ...]) -> FieldMapping:
    """The names of one seed, then those of the other seeds."""
    common = {name: found for name, found in _INSIDE.items() if name not in ("locale", "url")}
    names = [*paths, *(name for name in common if name not in paths)]
    return FieldMapping({name: tuple(dict.fromkeys((*paths.get(name, ()), *common.get(name, ())))) for name in names})


_PRESETS = (
    Preset("assay", ("text", "facets", "rest"), _flat(text=("text",), url=("url",), section=("section",))),
    Preset(
        "llamaindex",
        ("_node_content",),
        _within(
            "",
            text=("_node_content.text", "_node_content.text_resource.text", "text"),
            # Not `source_url` alone: readers of files have only a path.
            document_id=("ref_doc_id",),
            source_path=("source_path", "file_path", "file_name"),
            created_at=("created_at", "timestamp", "creation_date"),
        ),
    ),
    Preset("langchain", ("page_content",), _within("metadata.", text=("page_content",))),
    Preset(
        "haystack",
        ("content", "meta"),
        _within(
            "meta.", text=("content",), chunk_id=("id",), position=("meta.split_id",), document_id=("meta.source_id",)
        ),
    ),
    Preset(
        "retrieval_service",
        ("content", "metadata"),
        _within("metadata.", text=("content",), chunk_id=("chunk_id",), position=("position",)),
    ),
    Preset(
        "search_api",
        ("text", "source_path", "order_index"),
        replace(
            _flat(text=("text",), url=("url",), position=("order_index",), source_path=("source_path",)),
            first_position=1,
        ),
    ),
    Preset("retrieval_layer", ("text", "url"), _flat(text=("text",), url=("url",), section=("section",))),
    Preset(
        "validation_report",
        ("content", "url", "chunk_index"),
        _flat(text=("content",), url=("url",), position=("chunk_index",), created_at=("timestamp",)),
    ),
    Preset(
        "retrieval_testing",
        ("content", "url"),
        _flat(text=("content",), url=("url",), position=("position",), created_at=("created_at",)),
    ),
)

PRESETS: Mapping[str, Preset] = {preset.name: preset for preset in _PRESETS}
"""By name, the most specific first."""


def match_preset(payloads: Sequence[Mapping[str, Any]]) -> PresetMatch | None:
    """The first preset whose signature more than half of these payloads have; None if there is none."""
    for preset in _PRESETS:
        having = sum(all(payload.get(key) is not None for key in preset.signature) for payload in payloads)
        if 2 * having > len(payloads):
            return PresetMatch(preset, having / len(payloads))
    return None


def list_keys(payloads: Sequence[Mapping[str, Any]]) -> list[str]:
    """Keys of these payloads, the commonest first; keys of nested objects with dots."""
    counts: dict[str, int] = {}
    for payload in payloads:
        for key, value in payload.items():
            inner = [f"{key}.{name}" for name in value] if isinstance(value, Mapping) else [key]
            for name in inner:
                counts[name] = counts.get(name, 0) + 1
    return sorted(counts, key=lambda name: (-counts[name], name))
