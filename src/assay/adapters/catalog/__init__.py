"""The catalog: in SQLite, in Postgres, in memory."""
