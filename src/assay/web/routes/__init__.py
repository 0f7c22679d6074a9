"""The routes, one file for each public shape. Each has `REQUESTS`, the models it reads, and `router`."""
