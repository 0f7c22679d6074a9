"""The generations of a SQL catalog, and the state of each."""

from datetime import datetime

from sqlalchemy import Connection, insert, select

from assay.adapters.catalog.sql import queries, rules
from assay.adapters.catalog.sql.database import Database
from assay.adapters.catalog.sql.records import generation_of, generation_row
from assay.adapters.catalog.sql.tables import generations, live
from assay.model.generations import Generation, State, check_transition
from assay.ports import ANY_LIVE

_DELETED = 500  # documents deleted in one transaction


class SqlGenerations:
    """The methods of SqlCatalog for generations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_generation(self, generation: Generation) -> None:
        """Store a new generation, in state building."""
        rules.check_new(generation)
        row = generation_row(generation)
        with self._database.writing(durable=True) as connection:
            if connection.scalar(queries.state(generation.id)) is not None:
                raise rules.already_exists(generation.id)
            connection.execute(insert(generations).values(row))

    def update_generation(self, generation: Generation) -> None:
        """Overwrite the fields of a generation, except its state and the time it went live."""
        row = generation_row(generation)
        del row["state"], row["promoted_at"]
        with self._database.writing(durable=True) as connection:
            state_of(connection, generation.id)
            connection.execute(queries.change_generation(generation.id, **row))

    def generation(self, generation_id: str) -> Generation:
        """One generation. Raises GenerationNotFound."""
        with self._database.reading() as connection:
            return _generation(connection, generation_id)

    def generations(self) -> list[Generation]:
        """All generations, newest first."""
        with self._database.reading() as connection:
            return [generation_of(row) for row in connection.execute(queries.all_generations()).mappings()]

    def live_id(self) -> str | None:
        """Id of the live generation; reads one row."""
        live_id: str | None = self._database.value_of(queries.LIVE_ID)
        return live_id

    def transition(self, generation_id: str, target: State, *, reason: str | None = None) -> Generation:
        """Change the state, except to live. Raises InvalidTransition, GenerationNotFound."""
        with self._database.writing(durable=True) as connection:
            current = state_of(connection, generation_id)
            rules.check_step(generation_id, current, target)
            if current is State.LIVE:
                connection.execute(queries.set_live(None))
            values: dict[str, object] = {"state": str(target)}
            if reason is not None:
                values["reason"] = reason
            connection.execute(queries.change_generation(generation_id, **values))
            if target is State.CANDIDATE:
                self._database.update_statistics(connection)
            return _generation(connection, generation_id)

    def promote(self, generation_id: str, at: datetime, *, over: str | None = ANY_LIVE) -> Generation:
        """Make a candidate or retired generation live and retire the live one, in one transaction."""
        moment = rules.as_utc(at)
        with self._database.writing(durable=True) as connection:
            previous = connection.scalar(select(live.c.generation_id).with_for_update())
            check_transition(generation_id, state_of(connection, generation_id), State.LIVE)
            rules.check_replaced(generation_id, previous, over)
            if previous is not None:
                connection.execute(queries.change_generation(previous, state=str(State.RETIRED)))
            connection.execute(queries.change_generation(generation_id, state=str(State.LIVE), promoted_at=moment))
            connection.execute(queries.set_live(generation_id))
            return _generation(connection, generation_id)

    def forget(self, generation_id: str) -> None:
        """Delete the rows of a generation that is not live, and documents that no generation includes any more."""
        with self._database.writing(durable=False) as connection:
            state = connection.scalar(queries.state(generation_id))
            if state is None:
                return
            rules.check_forgettable(generation_id, State(state))
            connection.execute(queries.delete_generation(generation_id))
        self._delete_unused_revisions()

    def _delete_unused_revisions(self) -> None:
        """Delete the revisions that no generation includes, with their chunks; also those of an interrupted call.

        In short transactions: a promotion does not wait for a million rows.
        """
        after = 0
        while True:
            with self._database.reading() as connection:
                numbers = connection.scalars(queries.unused_revisions(after, _DELETED)).all()
            if not numbers:
                return
            with self._database.writing(durable=False) as connection:
                connection.execute(queries.delete_unused(numbers))
            after = numbers[-1]


def state_of(connection: Connection, generation_id: str) -> State:
    """Return a generation's state. Raises GenerationNotFound."""
    state = None if rules.is_invalid_id(generation_id) else connection.scalar(queries.state(generation_id))
    if state is None:
        raise rules.not_found(generation_id)
    return State(state)


def _generation(connection: Connection, generation_id: str) -> Generation:
    found = None if rules.is_invalid_id(generation_id) else connection.execute(queries.generation(generation_id))
    row = None if found is None else found.mappings().one_or_none()
    if row is None:
        raise rules.not_found(generation_id)
    return generation_of(row)
