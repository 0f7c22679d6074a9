"""Parse a request body as one JSON object, and refuse ambiguous input."""

import json
from collections.abc import Callable

from assay.contracts.fields import quoted, was_sent
from assay.errors import InputError
from assay.model.field_errors import lower_first


def read_json_object(body: bytes) -> dict[str, object]:
    """Parse UTF-8 bytes as a JSON object.

    NaN, infinities and lone surrogates pass, so that later messages can name their field.

    Raises InputError for other input and for duplicate keys.
    """
    if not body:
        raise InputError("body: it is empty; it must be a JSON object.")
    value = read_json(body, "body", pairs=_unique)
    if not isinstance(value, dict):
        raise InputError(f"body: it must be a JSON object; {was_sent(value)}.")
    return value


def read_json(
    content: bytes, name: str, *, hint: str = "", pairs: Callable[[list[tuple[str, object]]], object] = dict
) -> object:
    """Parse UTF-8 bytes as JSON. Raises InputError.

    name, hint: of the content, and for the error. pairs: makes an object of its keys and values.
    """
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=pairs)
    except UnicodeDecodeError as error:
        problem = f"it must be UTF-8, but byte {error.start} is not ({error.reason})"
    except json.JSONDecodeError as error:
        problem = f"it is not valid JSON at line {error.lineno}, column {error.colno}: {lower_first(error.msg)}"
    except RecursionError:
        problem = "its arrays and objects are nested too deeply"
    except InputError:
        raise
    except ValueError:  # Python refuses integers with more than 4,300 digits
        problem = "a number in it has too many digits"
    raise InputError(f"{name}: {problem}.", hint=hint)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"body: the field {quoted(twice)} occurs twice in one object.")
    return fields
