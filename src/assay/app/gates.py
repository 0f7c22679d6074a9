"""Builds the gate from settings."""

from collections.abc import Mapping

from assay.settings import GateSettings, LimitSettings
from assay.validation.gate.policy import Gate, MeasureLimit, QualityLimits
from assay.validation.metrics import parse_measure
from assay.validation.structure import StructuralLimits


def gate_of(settings: GateSettings, search: Mapping[str, object] | None = None) -> Gate:
    """Build the gate of `[gate]`. Raises InputError for an unknown measure.

    search: the rules of the searches that the gate judges.
    """
    structure = settings.options(
        StructuralLimits, max_page_rise=None if settings.allow_additions else settings.max_page_rise
    )
    groups: list[tuple[str | None, Mapping[str, LimitSettings]]] = [(None, settings.limits), *settings.groups.items()]
    quality = settings.options(
        QualityLimits,
        completeness=1.0,
        hashes=1.0,
        measures=tuple(
            MeasureLimit(parse_measure(name).name, group, limit.min, limit.max_drop_vs_live)
            for group, limits in groups
            for name, limit in limits.items()
        ),
    )
    return Gate(structure, quality, search or {})
