"""The Postgres server of a benchmark: its CPU time, its dead rows, and a vacuum."""

import os
from pathlib import Path

import psycopg


class PostgresLoad:
    """Reads figures of a server on this machine. url: a database there."""

    def __init__(self, url: str, schema: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)
        self._schema = schema
        own = self._connection.info.backend_pid
        self._postmaster = int(_stat(own)[1])

    def seconds(self) -> float:
        """CPU seconds of the server's processes, those that ended included."""
        ticks = sum(int(value) for value in _stat(self._postmaster)[11:15])
        for process in Path("/proc").iterdir():
            if process.name.isdigit():
                try:
                    fields = _stat(int(process.name))
                except OSError:  # it ended
                    continue
                if int(fields[1]) == self._postmaster:
                    ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def dead_rows(self) -> tuple[int, int]:
        """Rows that a vacuum would remove, and rows alive, in the schema's tables, as the server estimates them."""
        row = self._connection.execute(
            "SELECT sum(n_dead_tup)::bigint, sum(n_live_tup)::bigint FROM pg_stat_user_tables WHERE schemaname = %s",
            [self._schema],
        ).fetchone()
        assert row
        return row[0] or 0, row[1] or 0

    def vacuum(self) -> None:
        """Vacuum the tables of the schema, and compute their statistics."""
        tables = self._connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY 1", [self._schema]
        ).fetchall()
        for (table,) in tables:
            self._connection.execute(f'VACUUM (ANALYZE) "{self._schema}"."{table}"'.encode())

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _stat(process: int) -> list[str]:
    """The fields of /proc/PID/stat from the third, the state, on."""
    return Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
