"""The whole table."""

from tests.sabotages import faults, models, pages, questions, vectors

SABOTAGES = (
    *faults.SABOTAGES,
    *vectors.SABOTAGES,
    *models.SABOTAGES,
    *pages.SABOTAGES,
    *questions.SABOTAGES,
)
