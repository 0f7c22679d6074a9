"""The tables of the log of queries.

    query_log ◄─── query_clicks
    one row for    one row for each hit
    each search    that was opened

They are not a part of the catalog's schema: with SQLite they are in a file of their own, because a build keeps the
catalog's write lock for seconds, and with Postgres beside the catalog's tables, where all replicas write to them.
"""

import sqlalchemy as sa

metadata = sa.MetaData()

query_log = sa.Table(
    "query_log",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("at", sa.BigInteger, nullable=False, index=True),  # microseconds since 1970
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("text_key", sa.Text, nullable=False),  # equal for equal queries
    sa.Column("route", sa.String(200), nullable=False),
    sa.Column("filters", sa.Text, nullable=False),  # JSON; "{}" for none
    sa.Column("generation", sa.String(64), nullable=False),
    sa.Column("hits", sa.Text, nullable=False),  # JSON: ids of chunks, best first
    sa.Column("answered", sa.SmallInteger, nullable=False),
    sa.Column("typing", sa.SmallInteger, nullable=False),
    sa.Column("reports_clicks", sa.SmallInteger, nullable=False),
    sa.Column("client", sa.String(32)),  # only for the seconds in which a longer query may replace this one
)
_HAS_CLIENT = query_log.c.client.is_not(None)
sa.Index(
    "ix_query_log_client", query_log.c.client, query_log.c.at, sqlite_where=_HAS_CLIENT, postgresql_where=_HAS_CLIENT
)

query_clicks = sa.Table(
    "query_clicks",
    metadata,
    sa.Column("query_id", sa.String(32), primary_key=True),
    sa.Column("chunk_id", sa.String(100), primary_key=True),
    sa.Column("position", sa.Integer, nullable=False),  # rank of the hit, from 1
    sa.Column("at", sa.BigInteger, nullable=False),
)
