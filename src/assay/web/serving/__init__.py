"""Runs the application: sockets, the HTTP protocol, and worker processes."""
