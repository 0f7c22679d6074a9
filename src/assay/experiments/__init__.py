"""Experiments: compare two systems, or sweep over several settings.

They store no verdict and do not change the live generation.
"""

from assay.experiments.comparing import compare
from assay.experiments.sweeping import sweep

__all__ = ["compare", "sweep"]
