"""The data model: frozen dataclasses without I/O and third-party types."""
