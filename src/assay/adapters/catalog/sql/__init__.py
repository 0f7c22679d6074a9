"""Tables, statements, rows, migrations and errors of the SQL catalog."""
