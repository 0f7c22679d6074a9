"""What a page may take where nothing is set. Apart from `tests.workers`, which each worker process loads."""

from assay.ingest.workers.limits import PageLimits
from assay.settings import IngestSettings

PAGE_LIMITS = IngestSettings().options(PageLimits)
