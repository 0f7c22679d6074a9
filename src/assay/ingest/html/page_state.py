"""The state shared by the handlers of a page's elements."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from selectolax.lexbor import LexborNode

from assay.ingest.html.footnotes import Footnotes
from assay.ingest.html.generators import HtmlGenerator
from assay.ingest.html.links import HtmlLinkResolver
from assay.ingest.html.tabs import Tabs
from assay.ingest.text.inlines import EMPTY, Inline
from assay.ingest.text.text_flow import TextFlow

Close = Callable[[], None]

MAX_INSPECTIONS = 100


def SKIP() -> None:  # noqa: N802  (a constant that has the type of what the end of an element does)
    """Marks an element that is not shown, with all its content."""


@dataclass(slots=True)
class TitledBox:
    """A container whose title was not read yet.

    kind: of an admonition, "" for a collapsible section. is_coloured: the kind is only that of a colour.
    label: set once it is known.
    """

    kind: str
    is_coloured: bool = False
    label: Inline = EMPTY


@dataclass
class PageState:
    """The state of the walk through one page.

    walk: writes the content of an element; footnotes use it too.
    nest: the open lists ("list"), items ("item"), definition lists ("definitions"), definitions and quotations, and
        "interface" for the members of a programming interface.
    anchor: id of an empty element directly before the current position.
    heading_anchor: id of the open heading; None if it has none.
    titles: the TitledBox of each title element, by node id.
    label_parents, panel_parents: ids of nodes whose children are tab labels and panels.
    code_title: title of the next code block.
    alert_mark: the `[!NOTE]` of a quotation that is an admonition; not shown.
    level: of the last heading that was not made from a signature.
    has_footnotes: footnotes were found. in_code: inline code is open. in_footnote: a footnote's text is being written.
    inspections_left: how often the surroundings of an element may still be examined.
    language: of the page, without its region; "" if not declared.
    """

    flow: TextFlow
    generator: HtmlGenerator
    links: HtmlLinkResolver
    root: LexborNode
    footnotes: Footnotes
    walk: "Callable[[PageState, LexborNode], None]"
    tabs: Tabs = field(default_factory=Tabs)
    nest: list[str] = field(default_factory=list)
    anchor: str | None = None
    heading_anchor: str | None = None
    in_heading: bool = False
    titles: dict[int, TitledBox] = field(default_factory=dict)
    label_parents: set[int] = field(default_factory=set)
    panel_parents: set[int] = field(default_factory=set)
    code_title: str = ""
    alert_mark: str = ""
    level: int = 1
    has_footnotes: bool = False
    in_code: bool = False
    in_footnote: bool = False
    inspections_left: int = MAX_INSPECTIONS
    language: str = ""

    def may_inspect(self) -> bool:
        """Whether the surroundings of one more element may be examined. Limited, to keep the time linear."""
        self.inspections_left -= 1
        return self.inspections_left >= 0

    def record_anchor(self, given: str, node: LexborNode) -> None:
        """Record an element's id for the open heading, or for the next one if the element is empty."""
        if self.in_heading:
            self.heading_anchor = self.heading_anchor or given
        elif node.first_child is None and node.tag in {"a", "span", "div", "p"}:
            self.anchor = self.anchor or given

    @cached_property
    def controlled(self) -> frozenset[str]:
        """Ids of the elements that a control in the page can show."""
        return frozenset(
            name
            for node in self.root.css("[aria-controls]")
            for name in (node.attributes.get("aria-controls") or "").split()
        )

    def flush_code_title(self) -> None:
        """Write the pending code title as text, because no code followed."""
        title, self.code_title = self.code_title, ""
        if title:
            self.flow.flush()
            self.flow.paragraph(Inline(title))

    def open_label(self, label: Inline, *, keep: bool) -> Close:
        """Write a label; return the function that closes its block."""
        if label.text:
            self.flow.label(label)
        return lambda: self.flow.close_label(label, keep=keep)
