"""What the SQL catalog is made of: tables, statements, rows, migrations and the faults of two databases."""
