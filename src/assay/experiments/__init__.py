"""Systems that are measured beside one another and never go live: two that are compared, and several that are swept.

Nothing here records a verdict or changes what is live.
"""

from assay.experiments.comparing import compare
from assay.experiments.sweeping import sweep

__all__ = ["compare", "sweep"]
