"""The only place that builds objects: settings in, a working Assay out.

`construction` makes adapters of settings, `parts` holds them, `measuring` and `assay` do things with them.
"""

from assay.app.assay import Assay
from assay.app.construction import gate_of, shipped_folder, source_of
from assay.app.parts import CANDIDATE
from assay.app.reports import AuditReport, CalibrationReport, Health, PublishReport

__all__ = [
    "CANDIDATE",
    "Assay",
    "AuditReport",
    "CalibrationReport",
    "Health",
    "PublishReport",
    "gate_of",
    "shipped_folder",
    "source_of",
]
