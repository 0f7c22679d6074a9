"""The public shapes: one file each parses its own request and projects the core's answer. No HTTP in here."""
