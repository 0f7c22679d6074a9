"""What the handlers of a page's elements share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from selectolax.lexbor import LexborNode

from assay.ingest.html.footnotes import Footnotes
from assay.ingest.html.generators import HtmlGenerator
from assay.ingest.html.links import HtmlLinkResolver
from assay.ingest.html.tabs import Tabs
from assay.ingest.inlines import EMPTY, Inline
from assay.ingest.text_flow import TextFlow

Close = Callable[[], None]

MOST_LOOKS = 100


def SKIP() -> None:  # noqa: N802  (a constant that has the type of what the end of an element does)
    """Stands for an element that is not shown, with everything in it."""


@dataclass(slots=True)
class Box:
    """A container whose title is still to come.

    kind: of an admonition, "" for a fold; is_coloured: the kind is only that of a colour; label: once it is known.
    """

    kind: str
    is_coloured: bool = False
    label: Inline = EMPTY


@dataclass
class Surroundings:
    """One page while it is walked through.

    walk: writes everything in an element; the walk of the page, which footnotes need too.
    nest: the lists ("list"), items ("item"), definition lists ("definitions"), definitions and quotations that are
        open, and "interface" for the members of a programming interface.
    anchor: id of an empty element right before the place at hand.
    heading_anchor: id of the open heading; None while it has none.
    titles: the box of each element that is the title of one, by its node.
    label_parents, panel_parents: nodes whose children are labels and panels of tabs.
    code_title: title of the code that comes next.
    alert_mark: what tells the kind of a quotation that is an admonition, not shown.
    level: of the last heading that was not made from a signature.
    has_notes: whether footnotes were met; in_code: whether inline code is open.
    writes_notes: whether it is the text of a footnote that is walked through.
    looks_left: how often it is still looked around an element for what it stands beside.
    language: of the page, without its region; "" where it does not say.
    """

    flow: TextFlow
    generator: HtmlGenerator
    links: HtmlLinkResolver
    root: LexborNode
    footnotes: Footnotes
    walk: "Callable[[Surroundings, LexborNode], None]"
    tabs: Tabs = field(default_factory=Tabs)
    nest: list[str] = field(default_factory=list)
    anchor: str | None = None
    heading_anchor: str | None = None
    in_heading: bool = False
    titles: dict[int, Box] = field(default_factory=dict)
    label_parents: set[int] = field(default_factory=set)
    panel_parents: set[int] = field(default_factory=set)
    code_title: str = ""
    alert_mark: str = ""
    level: int = 1
    has_notes: bool = False
    in_code: bool = False
    writes_notes: bool = False
    looks_left: int = MOST_LOOKS
    language: str = ""

    def may_look(self) -> bool:
        """Whether it may be looked around one more element: a page of nothing else must not take quadratic time."""
        self.looks_left -= 1
        return self.looks_left >= 0

    def notice_anchor(self, given: str, node: LexborNode) -> None:
        """An element has an id: the open heading's, or that of the heading to come when nothing is in it."""
        if self.in_heading:
            self.heading_anchor = self.heading_anchor or given
        elif node.first_child is None and node.tag in {"a", "span", "div", "p"}:
            self.anchor = self.anchor or given

    @cached_property
    def controlled(self) -> frozenset[str]:
        """Ids of what a control in the page shows on demand."""
        return frozenset(
            name
            for node in self.root.css("[aria-controls]")
            for name in (node.attributes.get("aria-controls") or "").split()
        )

    def spend_code_title(self) -> None:
        """What was taken for the title of code has none under it: it is text."""
        title, self.code_title = self.code_title, ""
        if title:
            self.flow.flush()
            self.flow.paragraph(Inline(title))

    def labelled(self, label: Inline, *, keep: bool) -> Close:
        """Show a label. Returns what the end of that which it stands over does."""
        if label.text:
            self.flow.label(label)
        return lambda: self.flow.settle(label, keep=keep)
