"""The embedded text of a point: its text, or LlamaIndex's text with metadata before it."""

from collections.abc import Mapping
from typing import Any

from assay.adapters.stores.adopted.payload_view import PayloadView, replace_surrogates

_NODE = "_node_content"


def embedded_text(payload: Mapping[str, Any], text: str) -> str:
    """The text from which the point's vector was made.

    LlamaIndex prepends metadata that is not excluded, by templates stored with each node.
    """
    if _NODE not in payload:
        return text
    view = PayloadView(payload)
    metadata = view.find(f"{_NODE}.metadata")
    if not isinstance(metadata, Mapping):
        return text
    excluded = view.find(f"{_NODE}.excluded_embed_metadata_keys") or ()
    line = view.find(f"{_NODE}.metadata_template") or "{key}: {value}"
    separator = view.find(f"{_NODE}.metadata_separator")
    template = view.find(f"{_NODE}.text_template") or "{metadata_str}\n\n{content}"
    lines = [
        str(line).replace("{key}", str(key)).replace("{value}", str(value))
        for key, value in metadata.items()
        if key not in excluded
    ]
    if not lines:
        return text
    shown = ("\n" if separator is None else str(separator)).join(lines)
    return replace_surrogates(str(template).replace("{content}", text).replace("{metadata_str}", shown).strip())
