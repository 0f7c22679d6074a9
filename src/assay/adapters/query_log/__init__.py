"""The log of queries: redaction, a bounded queue with a writer thread, and tables in SQLite or Postgres."""
