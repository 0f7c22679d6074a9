"""Reading a TOML file."""

import tomllib
from pathlib import Path
from typing import Any

from assay.errors import AssayError


def read_toml(path: Path, failure: type[AssayError], hint: str = "") -> dict[str, Any]:
    """Read the tables of a file, with or without a byte-order mark.

    failure: the error to raise if the file cannot be read or is not valid TOML.
    hint: the error's hint if the file is not valid TOML.
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
