"""`assay queries`: lists of readers' searches and clicks, and topics for a test set."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from assay.app import Assay
from assay.cli import options
from assay.cli.terminal.help_text import PlainTyper
from assay.cli.terminal.output import err, on_one_line, out, print_json
from assay.contracts.operators import query_lists
from assay.errors import InputError
from assay.model.counting import counted
from assay.model.queries import QueryKind, QueryReport, QueryTotals

_NOT_LOGGED = "These settings log no queries: set `[queries] log = true` in assay.toml, and restart the server."
_NOTHING = {
    QueryKind.TOP: "No searches are logged yet.",
    QueryKind.NO_RESULTS: "Every logged search had a good answer.",
    QueryKind.NO_CLICKS: "No query has good answers that nobody opened.",
}

_LISTS = {
    QueryKind.TOP: "List the most frequent queries, and the shares of searches without a good answer and with a click.",
    QueryKind.NO_RESULTS: "List queries without a result, or whose results are probably wrong.",
    QueryKind.NO_CLICKS: "List queries with good answers that nobody opened; counts only clients that report clicks.",
}
"""Help of the commands that list queries."""

Days = Annotated[
    int | None,
    typer.Option("--days", min=1, max=3_650, help="Only searches of the last N days [default: all that are kept]."),
]
Limit = Annotated[int, typer.Option("--limit", min=1, max=1_000, help="Maximum number of queries.")]


def export(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="Test set to add topics to, created if missing [default: the test set that judges candidates; "
            "/admin lists its hits too]."
        ),
    ] = None,
    kind: Annotated[QueryKind, typer.Option("--kind", help="Kind of the queries to add.")] = QueryKind.TOP,
    at_least: Annotated[
        int, typer.Option("--at-least", min=1, help="Only queries that were searched at least N times.")
    ] = 1,
    days: Days = None,
    limit: Limit = 50,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Add queries to a test set, as topics without judgments: `assay label` then asks about their hits."""
    with Assay.open(options.settings_from(config, data_dir)) as assay:
        chosen = assay.queries.topic_candidates(kind, days=days, limit=limit, at_least=at_least)
        if not chosen:
            raise InputError("No logged query matches these options.", hint=_hint(assay))
        path, added = assay.queries.add_topics(chosen, file)
    if as_json:
        print_json({"output": str(path), **query_lists.to_topics(added)})
        return
    known = f"; it had {added.known} of the queries already" if added.known else ""
    err().print(f"{counted(len(added.topics), 'topic')} added to {escape(str(path))}{known}.")
    if added.topics:
        label = "assay label" if file is None else f"assay label --testset {path}"
        err().print(f"Their hits have no labels, and count as not relevant: label them with `{escape(label)}`.")


def forget(
    text: Annotated[str | None, typer.Argument(help="Delete the searches with this text, upper or lower case.")] = None,
    containing: Annotated[bool, typer.Option("--containing", help="Also searches that contain the text.")] = False,
    older_than: Annotated[
        int | None,
        typer.Option("--older-than", min=0, max=3_650, help="Delete searches older than N days; 0 deletes all."),
    ] = None,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Delete searches with their clicks, by their text or their age."""
    with Assay.open(options.settings_from(config, data_dir)) as assay:
        deleted = assay.queries.forget(text, containing=containing, older_than_days=older_than)
    if as_json:
        print_json({"deleted": deleted})
    else:
        number = "1 search is" if deleted == 1 else f"{deleted:,} searches are"
        out().print(f"{number} deleted.")


def _list_command(kind: QueryKind) -> Callable[..., None]:
    """The command that lists the queries of a kind."""

    def list_queries(
        days: Days = None,
        limit: Limit = 20,
        data_dir: options.DataDir = None,
        config: options.Config = None,
        as_json: options.Json = False,
    ) -> None:
        with Assay.open(options.settings_from(config, data_dir)) as assay:
            report = assay.queries.report(kind, days=days, limit=limit)
            logged = assay.queries.are_logged
        if as_json:
            print_json(query_lists.to_list(report, logged=logged))
            return
        if not logged:
            err().print(_NOT_LOGGED, markup=False)
        if report.totals.searches:
            _show_totals(out(), report.totals)
        if report.queries:
            _show(out(), report)
        else:
            err().print(_NOTHING[kind])

    return list_queries


def _hint(assay: Assay) -> str:
    return "Lower --at-least, or raise --days." if assay.queries.are_logged else _NOT_LOGGED


def _show_totals(console: Console, totals: QueryTotals) -> None:
    sentence = f"{counted(totals.searches, 'search', 'searches')} of {counted(totals.queries, 'query', 'queries')}"
    sentence += f"; {totals.unanswered / totals.searches:.1%} without a good answer"
    if totals.with_clicks_reported:
        sentence += f"; {totals.clicked / totals.with_clicks_reported:.1%} with a click"
    if totals.mean_position is not None:
        sentence += f", on rank {totals.mean_position:.1f} on average"
    console.print(f"{sentence}.\n")


def _show(console: Console, report: QueryReport) -> None:
    table = Table("query", box=None)
    for name in ("searches", "no answer", "clicked", "rank"):
        table.add_column(name, justify="right")
    for one in report.queries:
        clicked = f"{one.clicked / one.with_clicks_reported:.0%}" if one.with_clicks_reported else "–"
        rank = "–" if one.mean_position is None else f"{one.mean_position:.1f}"
        table.add_row(on_one_line(one.text), f"{one.searches:,}", f"{one.unanswered:,}", clicked, rank)
    console.print(table)


queries = PlainTyper(
    name="queries", help="Read the log of queries: the searches and clicks of readers.", no_args_is_help=True
)
for listed, described in _LISTS.items():
    queries.command(listed.value, help=described)(_list_command(listed))
queries.command()(export)
queries.command()(forget)
