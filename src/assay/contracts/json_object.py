"""Parse a request body as one JSON object, and refuse ambiguous input."""

import json

from assay.contracts.fields import quoted, was_sent
from assay.errors import InputError


def read_json_object(body: bytes) -> dict[str, object]:
    """Parse UTF-8 bytes as a JSON object.

    NaN, infinities and lone surrogates pass, so that later messages can name their field.

    Raises InputError for other input and for duplicate keys.
    """
    if not body:
        raise InputError("body: it is empty; it must be a JSON object.")
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"body: it must be UTF-8, but byte {error.start} is not ({error.reason}).") from None
    try:
        value = json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"body: it is not valid JSON at {where}: {_lower_first(error.msg)}.") from None
    except RecursionError:
        raise InputError("body: its arrays and objects are nested too deeply.") from None
    except InputError:
        raise
    except ValueError:
        # Python refuses integers with more than 4,300 digits.
        raise InputError("body: a number in it has too many digits.") from None
    if not isinstance(value, dict):
        raise InputError(f"body: it must be a JSON object; {was_sent(value)}.")
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"body: the field {quoted(twice)} occurs twice in one object.")
    return fields


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
