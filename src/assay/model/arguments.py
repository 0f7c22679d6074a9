"""Arguments of the Python API whose type the caller may get wrong."""

from assay.errors import InputError


def require_type(name: str, value: object, kinds: type | tuple[type, ...], words: str) -> None:
    """Raise InputError that names an argument, unless its value is of one of these types.

    words: the types as the message names them, such as `text or a path`. The value may be a secret: it is not shown.
    """
    if not isinstance(value, kinds):
        found = "None" if value is None else type(value).__name__
        raise InputError(f"{name}: it must be {words}, not {found}.")
