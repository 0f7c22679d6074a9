"""The keys of a test set, and common misspellings of them."""

import json
import math
from collections.abc import Collection, Mapping

from assay.model.spelling import did_you_mean

FREE_KEY = "expected_criteria"
"""The key with the user's own keys."""

TOP_KEYS = ("name", "derived", "topics")

TOPIC_KEYS = (
    *("id", "text", "type", "category", "top_k", "judgments", "exclude"),
    *("paraphrase_of", "expect", "expected_criteria", "filters", "derived"),
)

PASSAGE_KEYS = ("url", "quote", "prefix", "suffix", "position", "text_hash", "section", "chunk_id", "content_hash")

JUDGMENT_KEYS = (*PASSAGE_KEYS, "label")

FILTER_KEYS = ("versions", "locales", "url_prefix", "sections", "sources", "everything", "include_unversioned")

TEXT_KEYS = frozenset(
    {
        *("name", "id", "text", "paraphrase_of"),
        *("url", "quote", "prefix", "suffix", "text_hash", "section", "chunk_id", "content_hash"),
        *("versions", "locales", "url_prefix", "sections", "sources"),
    }
)
"""Keys of texts or lists of texts; in YAML, their values need no quotes."""

_OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "text": ("query", "query_text", "question", "q"),
    "id": ("qid", "query_id", "topic_id", "test_id"),
    "type": ("query_type",),
    "category": ("test_category",),
    "top_k": ("limit", "k"),
    "judgments": ("qrels", "labels", "judgements", "expected", "expected_results"),
    "exclude": ("excluded",),
    "expected_criteria": ("criteria", "success_criteria"),
    "label": ("relevance", "rel", "grade", "score"),
    "quote": ("exact",),
    "url": ("source_url", "page"),
    "section": ("anchor", "heading"),
    "content_hash": ("hash",),
    "chunk_id": ("docid", "doc_id"),
    "topics": ("queries", "test_cases", "tests"),
    "name": ("title",),
}
_MEANT = {other: key for key, others in _OTHER_NAMES.items() for other in others}

_SHOWN_CHARACTERS = 60


def meant(key: str, known: Collection[str]) -> str:
    """Suggest a known key or word for an unknown one, as the end of a sentence."""
    if (synonym := _MEANT.get(key.lower())) in known:
        return f"did you mean `{synonym}`?"
    return did_you_mean(key, known, f"it can be {', '.join(known)}")


def missing_is_misspelt(fields: Mapping[str, object], key: str, known: Collection[str]) -> bool:
    """Whether an unknown key is probably a misspelling of this missing key: then one message is enough."""
    return any(meant(other, known) == f"did you mean `{key}`?" for other in fields if other not in known)


def shown(value: object) -> str:
    """Format a value of a file for a message, shortened to fit into a line."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "keys and values"
    if isinstance(value, list | tuple):
        return f"a list of {len(value):,}"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "infinity"
    whole = json.dumps(value, ensure_ascii=False)
    cut = whole if len(whole) <= _SHOWN_CHARACTERS else f"{whole[:_SHOWN_CHARACTERS]}…"
    return "".join(character if character.isprintable() else f"\\u{ord(character):04x}" for character in cut)
