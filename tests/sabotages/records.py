"""Records and settings that do not belong to the index: rows lost, files of another build, another model."""

import shutil
from collections.abc import Callable

from assay.model.generations import State
from tests.copies import copy_tree
from tests.sabotages.pages import remove
from tests.sabotages.table import Sabotage, Scenario
from tests.sabotages.workspace import EMBEDDERS, PAID, Workspace, some


def _rows(workspace: Workspace, share: float, statement: str) -> None:
    """Run a statement for the revisions of so many pages."""
    revisions = [row[0] for row in workspace.stores.sql("SELECT revision_id FROM generation_documents ORDER BY 1")]
    for revision in some(revisions, share):
        workspace.stores.sql(statement, revision)


def _pages(statement: str) -> Callable[[Workspace, float], None]:
    return lambda workspace, share: _rows(workspace, share, statement)


def _swap_positions(workspace: Workspace, _: float) -> None:
    """Two chunks of a page change places, their neighbours' names for them included."""
    stores = workspace.stores
    chunk = stores.chunk()
    ((revision, place),) = stores.sql("SELECT revision_id, position FROM chunks WHERE chunk_id = ?", chunk)
    for before, after in ((place, 9_999), (place + 1, place), (9_999, place + 1)):
        stores.sql("UPDATE chunks SET position = ? WHERE revision_id = ? AND position = ?", after, revision, before)


def _lose_neighbours(workspace: Workspace, _: float) -> None:
    workspace.stores.sql("UPDATE chunks SET previous_id = NULL WHERE chunk_id = ?", workspace.stores.chunk())


def _another_build(workspace: Workspace, share: float) -> None:
    """The files of the index are those of an earlier build, with other pages."""
    live = workspace.stores.index_folder
    for page in workspace.some_pages(share):
        remove(page, 0)
    with workspace.opened() as assay:
        other = assay.builds.ingest(rebuild=True).generation.id
    shutil.rmtree(live)
    copy_tree(live.parent / other, live)
    with workspace.opened() as assay:
        assay.parts.catalog.transition(other, State.REJECTED, reason="its files were taken")


def _setting(table: str, **values: object) -> Callable[[Workspace, float], None]:
    def damage(workspace: Workspace, _: float) -> None:
        workspace.settings[table] = values

    return damage


def _row(
    name: str,
    damage: Callable[[Workspace, float], None],
    *checks: str,
    shares: tuple[float, ...] = (0.0,),
    embedders: tuple[str, ...] = EMBEDDERS,
) -> Sabotage:
    return Sabotage(name, damage, Scenario.STORED, checks, shares, embedders)


SABOTAGES = (
    _row(
        "pages lost in the catalog",
        _pages("DELETE FROM generation_documents WHERE revision_id = ?"),
        "agreement",
        shares=(0.5, 0.0),
    ),
    _row(
        "pages of another address in the catalog",
        _pages("UPDATE document_revisions SET url = url || '-2' WHERE id = ?"),
        "ids",
        "agreement",
        shares=(1.0, 0.0),
    ),
    _row(
        "anchors that no heading has",
        _pages("UPDATE chunks SET anchor = 'nowhere' WHERE revision_id = ?"),
        "agreement",
        shares=(1.0, 0.0),
    ),
    _row(
        "pages without chunks in the catalog",
        _pages("DELETE FROM chunks WHERE revision_id = ?"),
        "positions",
        "agreement",
        shares=(0.5, 0.0),
    ),
    _row("two chunks in the wrong order", _swap_positions, "positions"),
    _row("a chunk that does not know its neighbour", _lose_neighbours, "positions"),
    _row("the index of another build", _another_build, "agreement", shares=(0.2, 0.0)),
    _row("keywords in another language", _setting("sparse", language="german"), "identity", "IdentityMismatch"),
    _row(
        "another model in the settings",
        _setting("embedding", model="another-model"),
        "identity",
        "IdentityMismatch",
        embedders=(PAID,),
    ),
    _row(
        "another prefix for queries",
        _setting("embedding", query_prefix="ask: "),
        "identity",
        "IdentityMismatch",
        embedders=(PAID,),
    ),
)
