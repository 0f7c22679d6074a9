"""The shapes of the routes for operators: administration, explanations, labels, reports, queries."""
