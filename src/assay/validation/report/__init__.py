"""The reports of a validation for people: HTML page, Markdown comment, JUnit file, and advice."""
