"""The commands: each parses its options, calls the app and prints."""
