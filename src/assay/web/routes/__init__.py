"""The routes, one file for each public shape. Each has `REQUESTS`, the models it parses, and `router`."""
