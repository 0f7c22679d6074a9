"""One row of the table: a way in which an index can be wrong, where it happens, and the checks that may name it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from assay.app import Assay
from assay.errors import AssayError
from tests.sabotages.workspace import EMBEDDERS, Judgment, Workshop, Workspace


@dataclass(frozen=True, slots=True)
class _Course:
    """live: begins with a live generation. publishes: else what is live is validated. judged: by the test set too."""

    live: bool
    publishes: bool
    judged: bool


class Scenario(Enum):
    """What happens around a sabotage."""

    STORED = _Course(live=True, publishes=False, judged=False)
    JUDGED = _Course(live=True, publishes=False, judged=True)
    SECOND = _Course(live=True, publishes=True, judged=False)
    SECOND_JUDGED = _Course(live=True, publishes=True, judged=True)
    FIRST = _Course(live=False, publishes=True, judged=False)
    FIRST_JUDGED = _Course(live=False, publishes=True, judged=True)


@dataclass(frozen=True, slots=True)
class Sabotage:
    """A way in which an index can be wrong.

    name: says which. damage: does it to so large a share of a workspace; may return checks of this time.
    checks: any of which has to name it; an error's class where Assay has to refuse it.
    shares: the large one, and the smallest that the checks claim to find; 0 is a single one.
    embedders: with which it can happen.
    before: is done in the healthy run too.
    says: what the finding or the error has to say; "" for anything.
    by: judges the workspace in place of a validation or a publish.
    """

    name: str
    damage: Callable[[Workspace, float], Iterable[str] | None]
    scenario: Scenario
    checks: tuple[str, ...]
    shares: tuple[float, ...]
    embedders: tuple[str, ...] = EMBEDDERS
    before: Callable[[Workspace], None] | None = None
    says: str = ""
    by: Callable[[Assay, Workspace], Judgment] | None = None


def judge(workspace: Workspace, sabotage: Sabotage) -> Judgment:
    """What the production path says of a workspace."""
    course = sabotage.scenario.value
    if course.judged:
        workspace.settings.setdefault("validation", {}).setdefault("testset", workspace.testset)
    try:
        with workspace.opened() as assay:
            if sabotage.by is not None:
                return sabotage.by(assay, workspace)
            if course.publishes:
                verdict = assay.publish().verdict
                return Judgment.of(verdict) if verdict else Judgment("UNCHANGED")
            return Judgment.of(assay.validate().verdict)
    except AssayError as error:
        return Judgment("REFUSED", error=(type(error).__name__, error.message))
    except Exception as error:  # noqa: BLE001 - a crash is what a row of the table shows, and the others go on
        return Judgment("CRASH", error=(type(error).__name__, str(error)))


@dataclass(frozen=True, slots=True)
class Row:
    """A sabotage as it came out. checks: that had to name it. healthy: the same without it."""

    sabotage: Sabotage
    embedder: str
    share: float
    checks: tuple[str, ...]
    judgment: Judgment
    healthy: Judgment

    @property
    def caught_by(self) -> str | None:
        """The check that named it; None where none of those did that should, or the healthy index did not pass."""
        if self.healthy.outcome != "PASS" or self.judgment.outcome not in {"FAIL", "INCONCLUSIVE", "REFUSED"}:
            return None
        named = (name for name, said in self.judgment.named_by if self.sabotage.says in said)
        return next((name for name in named if name in self.checks), None)


class Rows:
    """Runs sabotages; each kind of healthy workspace is judged once."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop
        self._healthy: dict[tuple[object, ...], Judgment] = {}

    def run(self, sabotage: Sabotage, embedder: str, share: float) -> Row:
        """Do it to a copy, and judge the copy."""
        with self._workshop.copy(embedder, live=sabotage.scenario.value.live) as workspace:
            _prepare(workspace, sabotage)
            checks = tuple(sabotage.damage(workspace, share) or ()) + sabotage.checks
            judgment = judge(workspace, sabotage)
        return Row(sabotage, embedder, share, checks, judgment, self.healthy(sabotage, embedder))

    def healthy(self, sabotage: Sabotage, embedder: str) -> Judgment:
        """The same without the sabotage."""
        key = (sabotage.scenario, embedder, sabotage.before, sabotage.by)
        if key not in self._healthy:
            with self._workshop.copy(embedder, live=sabotage.scenario.value.live) as workspace:
                _prepare(workspace, sabotage)
                self._healthy[key] = judge(workspace, sabotage)
        return self._healthy[key]


def _prepare(workspace: Workspace, sabotage: Sabotage) -> None:
    """A second publish needs something to publish."""
    if sabotage.scenario.value.live and sabotage.scenario.value.publishes:
        page = workspace.pages()[0]
        page.write_text(f"{page.read_text(encoding='utf-8')}\nOne more sentence.\n", encoding="utf-8")
    if sabotage.before is not None:
        sabotage.before(workspace)
