"""The shapes of the routes for those who run a server: administration, explanations, labels, reports, queries."""
