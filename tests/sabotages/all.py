"""The whole table."""

from tests.sabotages import faults, models, pages, questions, records, vectors

SABOTAGES = (
    *faults.SABOTAGES,
    *records.SABOTAGES,
    *vectors.SABOTAGES,
    *models.SABOTAGES,
    *pages.SABOTAGES,
    *questions.SABOTAGES,
)
