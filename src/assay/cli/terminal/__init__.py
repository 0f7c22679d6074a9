"""The terminal: text, tables, bars, signals and streams."""
