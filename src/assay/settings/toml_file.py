"""A TOML file, read with an error that says what is wrong with it."""

import tomllib
from pathlib import Path
from typing import Any

from assay.errors import AssayError


def read_toml(path: Path, failure: type[AssayError], hint: str = "") -> dict[str, Any]:
    """The tables of a file, which may begin with a byte-order mark.

    Raises the given error where it cannot be read; hint: what to look at where it is no TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise failure(f"{path} is not valid TOML: {error}.", hint=hint) from None
    except RecursionError:
        raise failure(f"{path} cannot be read: its lists or tables are nested too deeply.") from None
    except UnicodeDecodeError as error:
        raise failure(f"{path} is not UTF-8 text: {error.reason} at byte {error.start}.") from None
    except OSError as error:
        raise failure(f"{path} cannot be read: {error.strerror or 'unknown reason'}.") from None
