"""The only place that builds objects: settings in, a working Assay out.

`construction` builds adapters from settings, and `parts` holds them. `building`, `searching`, `systems`, `evaluation`,
`labels`, `labelling`, `auditing` and `releases` each do one task with them. `assay` holds all of these.
"""

from assay.app.assay import Assay
from assay.app.construction import gate_of, shipped_folder
from assay.app.reports import AuditReport, CalibrationReport, PublishReport
from assay.model.health import Health

__all__ = [
    "Assay",
    "AuditReport",
    "CalibrationReport",
    "Health",
    "PublishReport",
    "gate_of",
    "shipped_folder",
]
