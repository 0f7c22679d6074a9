"""Read the judgments and excluded passages of a topic."""

from collections.abc import Iterator, Mapping
from urllib.parse import unquote, urldefrag

from assay.model.evaluation import LABELS, Judgment, Passage, Quote, Span
from assay.model.located import Path
from assay.validation.testsets.fields import FieldChecks
from assay.validation.testsets.keys import JUDGMENT_KEYS, PASSAGE_KEYS, missing_is_misspelt, shown

_LABEL_WORDS = "0 (does not answer), 1 (helps) or 2 (answers)"
_NEEDS_URL = ("quote", "section", "position")


def read_judgments(checks: FieldChecks, topic: Path, value: object) -> tuple[Judgment, ...]:
    """Read the judgments of a topic, and collect their problems."""
    path = (*topic, "judgments")
    judgments = []
    first: dict[Passage, tuple[int, int]] = {}
    words = "passages with their labels", "a judgment is keys and values (`url`, `quote`, `label`, …)"
    for number, one in _items(checks, path, value, *words):
        place = (*path, number)
        checks.known_keys(place, one, JUDGMENT_KEYS)
        label = _label(checks, place, one)
        passage = _passage(checks, place, one)
        if passage is None or label is None:
            continue
        judgments.append(Judgment(passage, label))
        other, given = first.setdefault(passage, (number, label))
        if given != label:
            message = f"the same passage has label {given} on line {{line}}, and {label} here"
            checks.fault(place, message, (*path, other))
    return tuple(judgments)


def read_passages(checks: FieldChecks, topic: Path, value: object) -> tuple[Passage, ...]:
    """Read the excluded passages of a topic, and collect their problems."""
    path = (*topic, "exclude")
    passages = []
    for number, one in _items(checks, path, value, "passages", "a passage is keys and values (`url`, `quote`, …)"):
        place = (*path, number)
        if "label" in one:
            checks.fault((*place, "label"), "an excluded passage has no label")
            continue
        checks.known_keys(place, one, PASSAGE_KEYS)
        passage = _passage(checks, place, one)
        if passage is not None:
            passages.append(passage)
    return tuple(passages)


def _items(
    checks: FieldChecks, path: Path, value: object, of: str, each: str
) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield the mappings of a list, with their numbers. of, each: the expected list and item, for messages."""
    if value is not None and not isinstance(value, list):
        checks.fault(path, f"has to be a list of {of}, not {shown(value)}")
    for number, one in enumerate(value if isinstance(value, list) else ()):
        if isinstance(one, dict):
            yield number, one
        else:
            checks.fault((*path, number), f"{each}, not {shown(one)}")


def _label(checks: FieldChecks, path: Path, fields: Mapping[str, object]) -> int | None:
    if "label" not in fields:
        if not missing_is_misspelt(fields, "label", JUDGMENT_KEYS):
            checks.fault(path, f"`label` is missing: {_LABEL_WORDS}")
        return None
    value = fields["label"]
    if type(value) is int and value in LABELS:
        return value
    hint = ""
    if isinstance(value, str) and value.strip() in {"0", "1", "2"}:
        hint = ", without quotes"
    elif isinstance(value, float) and value in LABELS:
        hint = ", without a decimal point"
    checks.fault((*path, "label"), f"has to be {_LABEL_WORDS}{hint}, not {shown(value)}")
    return None


def _passage(checks: FieldChecks, path: Path, fields: Mapping[str, object]) -> Passage | None:
    before = len(checks.notes)
    url, section = _address(checks, path, fields)
    passage = Passage(
        url=url,
        quote=_quote(checks, path, fields),
        position=_position(checks, path, fields),
        text_hash=checks.hash((*path, "text_hash"), fields["text_hash"]) if "text_hash" in fields else None,
        section=section,
        chunk_id=checks.text((*path, "chunk_id"), fields["chunk_id"]) if "chunk_id" in fields else None,
        content_hash=checks.hash((*path, "content_hash"), fields["content_hash"]) if "content_hash" in fields else None,
    )
    if len(checks.notes) == before:
        _check_whole(checks, path, passage)
    return passage if len(checks.notes) == before else None


def _address(checks: FieldChecks, path: Path, fields: Mapping[str, object]) -> tuple[str | None, str | None]:
    """The page and the section; the fragment of a URL is a section."""
    section = checks.text((*path, "section"), fields["section"]) if "section" in fields else None
    if "url" not in fields:
        return None, section
    given = fields["url"]
    url = checks.url((*path, "url"), given)
    fragment = unquote(urldefrag(given).fragment) if url is not None and isinstance(given, str) and "#" in given else ""
    if fragment and section is not None and section != fragment:
        checks.fault((*path, "url"), f"its fragment is #{fragment}, but `section` is {shown(section)}")
    return url, section or fragment or None


def _quote(checks: FieldChecks, path: Path, fields: Mapping[str, object]) -> Quote | None:
    if "quote" not in fields:
        for key in ("prefix", "suffix"):
            if key in fields:
                checks.fault((*path, key), f"`{key}` needs a `quote`")
        return None
    exact = checks.text((*path, "quote"), fields["quote"])
    around = {key: checks.any_text((*path, key), fields[key]) if key in fields else "" for key in ("prefix", "suffix")}
    return None if exact is None else Quote(exact, **around)


def _position(checks: FieldChecks, path: Path, fields: Mapping[str, object]) -> Span | None:
    if "position" not in fields:
        return None
    value = fields["position"]
    place = (*path, "position")
    if not isinstance(value, list) or len(value) != 2 or any(type(one) is not int for one in value):
        checks.fault(place, f"has to be [start, end], two whole numbers of characters, not {shown(value)}")
        return None
    start, end = value
    if not 0 <= start < end:
        checks.fault(place, f"has to be [start, end] with 0 ≤ start < end, not [{start}, {end}]")
        return None
    if "text_hash" not in fields:
        checks.fault(place, "needs `text_hash`: the SHA-256 of the text that the position is in")
    return Span(start, end)


def _check_whole(checks: FieldChecks, path: Path, passage: Passage) -> None:
    """Add a problem if the passage cannot be located."""
    if passage.url is None and passage.chunk_id is None and passage.content_hash is None:
        alone = [key for key in _NEEDS_URL if getattr(passage, key) is not None]
        if alone:
            checks.fault(path, f"`{alone[0]}` needs the `url` of its page")
        else:
            checks.fault(path, "it names no passage: `url`, `chunk_id` or `content_hash` is missing")
