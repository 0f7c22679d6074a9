"""The only place that builds objects: settings in, a working Assay out.

`construction` builds adapters from settings, `gates` the gate, and `parts` holds the adapters. `building`,
`searching`, `systems`, `evaluation`, `labels`, `labelling`, `auditing` and `releases` each do one task with them.
`assay` holds all of these.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from assay.app.assay import Assay
from assay.app.construction import shipped_folder
from assay.model.health import Health

if TYPE_CHECKING:
    from assay.app.gates import gate_of
    from assay.app.reports import AuditReport, CalibrationReport, PublishReport

__all__ = [
    "Assay",
    "AuditReport",
    "CalibrationReport",
    "Health",
    "PublishReport",
    "gate_of",
    "shipped_folder",
]

_HOME_OF = {
    "AuditReport": "assay.app.reports",
    "CalibrationReport": "assay.app.reports",
    "PublishReport": "assay.app.reports",
    "gate_of": "assay.app.gates",
}
"""Names that a search does not need, and the modules to load them from."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the module offers under that name
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'assay.app' has no attribute {name!r}")
    return getattr(import_module(home), name)
