"""Changes that no page shows by itself: masses of new pages, losses night by night, banners, other anchors."""

from math import ceil
from pathlib import Path

from tests.sabotages.pages import head_and_body, remove, without
from tests.sabotages.table import Sabotage, Scenario
from tests.sabotages.workspace import Workspace

_BANNER = (
    "We use cookies to make this site better for you.",
    "Some of them are needed to show you the pages, others help us to see which of them are read.",
    "You can choose which ones we set, and change your mind whenever you want.",
    "See the cookie policy for how long each of them is kept, and for whom.",
)


def _lose_ids(workspace: Workspace, share: float) -> None:
    """The ids of headings go, and every word stays."""
    strip = without(r" \{#[\w-]+\}")
    for page in workspace.some_pages(share):
        strip(page, 0)


def _add_junk(workspace: Workspace, rise: float) -> None:
    """Pages of a calendar, in a number that is this multiple of the pages that there are."""
    folder = workspace.docs / "docs" / "calendar"
    folder.mkdir()
    for number in range(ceil(rise * len(workspace.pages()))):
        said = f"On day {number} nothing is planned. Room {number * 31 % 97} is free, and so is desk {number * 7 % 53}."
        (folder / f"day-{number}.md").write_text(f"---\ntitle: Day {number}\n---\n\n{said}\n", encoding="utf-8")


def _lose_each_night(workspace: Workspace, share: float) -> None:
    """So many pages are lost by a release that passes, and so many by the next."""
    half = ceil(share * len(workspace.pages()) / 2)
    lost = workspace.some_pages(0.0, 2 * half)
    for page in lost[:half]:
        remove(page, 0)
    with workspace.opened() as assay:
        assert assay.publish().promoted
    for page in lost[half:]:
        remove(page, 0)


def _repeat_banner(workspace: Workspace, share: float) -> None:
    """A banner: 27% of the text on all pages, 11% on just over half of them."""
    for page in workspace.some_pages(share):
        _put_banner(page, 23 if share == 1.0 else 13)


def _put_banner(page: Path, lines: int) -> None:
    head, body = head_and_body(page)
    said = "\n\n".join(f"{_BANNER[number % len(_BANNER)]} Part {number}." for number in range(lines))
    page.write_text(f"{head}\n{said}\n\n{body}", encoding="utf-8")


FIRST, SECOND = Scenario.FIRST, Scenario.SECOND
SABOTAGES = (
    Sabotage("ids of headings that are gone", _lose_ids, SECOND, ("fall in anchors",), (1.0, 0.28)),
    Sabotage("masses of new pages", _add_junk, SECOND, ("rise in pages",), (12.0, 3.04)),
    Sabotage("pages lost night by night", _lose_each_night, SECOND, ("erosion",), (0.32, 0.24)),
    Sabotage("a banner on most pages", _repeat_banner, FIRST, ("boilerplate",), (1.0, 0.56)),
)
