"""Tables, row by row; those that contain blocks are written block by block."""

from selectolax.lexbor import LexborNode

from assay.ingest.html.blocks import item
from assay.ingest.html.nodes import Attributes, attribute, children, class_names, number
from assay.ingest.html.page_state import SKIP, Close, PageState
from assay.ingest.text.spanning_table import MAX_COLSPAN, MAX_ROWSPAN, SpanningTable

_FRAMES = frozenset(["admonitionblock", "hdlist", "colist"])


def table(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """A table; a layout table is written as its content."""
    flow = page.flow
    flow.flush()
    page.flush_code_title()
    if flow.tables and not flow.is_run:
        flow.spill()
    grid = SpanningTable(flows=attributes.get("role") in {"presentation", "none"} or _is_frame(node))
    flow.tables.append(grid)

    def close() -> None:
        _end_row(page)
        flow.tables.pop()
        grid.write(flow)

    return close


def _is_frame(table: LexborNode) -> bool:
    """Whether a table lays out a block of Asciidoctor: an admonition, a list of definitions or of callouts."""
    outer = table.parent.attributes if table.parent is not None else {}
    return not _FRAMES.isdisjoint(class_names(outer))


def first_cell(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """The first cell of a row that has no element of its own."""
    _end_row(page)
    if grid := _open_table(page):
        grid.open_row()
    return cell(page, node, attributes)


def _is_mark(cell: LexborNode, attributes: Attributes) -> bool:
    """Whether a cell of such a table holds only an admonition's icon or a callout's number."""
    first = next(children(cell), None)
    return attributes.get("class") == "icon" or (first is not None and first.attributes.get("class") == "conum")


def group(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:  # noqa: ARG001  (a handler)
    """A head, body or foot of a table; cells do not span beyond it."""
    page.flow.flush()

    def close() -> None:
        page.flow.flush()
        if grid := _open_table(page):
            grid.end_group()

    return close


def row(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """A table row."""
    page.flow.flush()
    if (grid := _open_table(page)) is None:
        return page.flow.flush
    if grid.flows and page.nest[-1:] == ["list"]:  # of callouts
        return item(page, node, attributes)
    grid.open_row()
    return lambda: _end_row(page)


def _open_table(page: PageState) -> SpanningTable | None:
    grid = page.flow.tables[-1] if page.flow.tables else None
    return grid if isinstance(grid, SpanningTable) else None


def _end_row(page: PageState) -> None:
    page.flow.flush()
    if grid := _open_table(page):
        grid.end_row()


def cell(page: PageState, node: LexborNode, attributes: Attributes) -> Close | None:
    """A table cell: inline text; blocks turn the whole table into blocks."""
    flow = page.flow
    flow.flush()
    grid = _open_table(page)
    if grid is None or grid.flows:
        return SKIP if grid is not None and _is_mark(node, attributes) else flow.flush
    opened = grid.open_cell()
    captured = flow.capture()
    colspan = number(attribute(attributes, "colspan"), 1, MAX_COLSPAN) or 1
    rowspan = number(attribute(attributes, "rowspan"), 1, MAX_ROWSPAN) or 1

    def close() -> None:
        inline = flow.release(captured)
        if inline is not None:
            grid.close_cell(opened, inline, colspan=colspan, rowspan=rowspan)

    return close
