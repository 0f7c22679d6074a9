"""The catalog in SQLite, Postgres or memory."""
