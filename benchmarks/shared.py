"""The folder of the real corpora and labelled collections, which are not part of the project."""

import os
from pathlib import Path


def shared_folder() -> Path | None:
    """The shared folder, or None with a printed note."""
    folder = Path(os.environ.get("ASSAY_SHARED", Path(__file__).resolve().parent.parent.parent / "shared"))
    if (folder / "corpora").is_dir():
        return folder
    print(f"Skipped: the shared corpora are not at {folder}; set ASSAY_SHARED to their folder.")
    return None
