"""The nouns: frozen dataclasses without I/O and without third-party types."""
