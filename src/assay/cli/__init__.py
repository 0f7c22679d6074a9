"""The command line: thin; it parses, calls the app, and prints."""
