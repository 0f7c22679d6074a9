"""The whole table."""

from tests.sabotages import faults, models, pages, questions, records, releases, vectors

SABOTAGES = (
    *faults.SABOTAGES,
    *records.SABOTAGES,
    *vectors.SABOTAGES,
    *models.SABOTAGES,
    *pages.SABOTAGES,
    *releases.SABOTAGES,
    *questions.SABOTAGES,
)
