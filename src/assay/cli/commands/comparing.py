"""`assay compare`."""

from typing import Annotated

import typer

from assay.app import Assay
from assay.cli import options
from assay.cli.failures import EXIT_UNDECIDED
from assay.cli.terminal.comparison_text import show_comparison
from assay.cli.terminal.output import err, out, print_json
from assay.cli.terminal.progress import progress
from assay.contracts.comparisons import comparison_body
from assay.model.comparisons import Conclusion
from assay.model.evaluation import Outcome
from assay.validation.comparing import ANY, HEADLINE, worse
from assay.validation.metrics.registry import parse_measure

EXIT_WORSE = 1


_Baseline = Annotated[
    str,
    typer.Argument(
        help="The baseline: a report (.json), a generation's id, `live` or `candidate`, settings "
        "(`mode=sparse`, `mode=hybrid,dense_weight=1.0`, a .toml file), or a TREC run file."
    ),
]
_System = Annotated[str, typer.Argument(help="The system to compare with the baseline; the same kinds.")]
_Generation = Annotated[
    str | None,
    typer.Option(
        "--generation",
        help="The generation for settings and run files: its id, `live` or `candidate` [default: the live one, or "
        "the candidate].",
    ),
]
_Measure = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        help="Measure to compare, or `all`; repeatable [default: nDCG@10, P@5, mrr, Recall@10].",
    ),
]
_FailIfWorse = Annotated[
    str | None,
    typer.Option(
        "--fail-if-worse",
        metavar="MEASURE",
        help="Exit with 1 if B is significantly worse on this measure, or on `any`, or if too many topics lost their "
        "answer (`gate.max_lost_topics`); with 3 if missing labels leave that open.",
    ),
]
_AllowRemovals = Annotated[
    bool,
    typer.Option("--allow-removals", help="Leave out judgments on pages that only the older generation has."),
]
_Topics = Annotated[int, typer.Option("--topics", min=0, help="Number of changed topics to show.")]


def compare(
    a: _Baseline,
    b: _System,
    testset: options.TestSetFile = None,
    generation: _Generation = None,
    measure: _Measure = None,
    fail_if_worse: _FailIfWorse = None,
    allow_removals: _AllowRemovals = False,
    topics: _Topics = 10,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Compare two systems on the same topics: differences with confidence intervals, p-values and a conclusion.

    Reports are compared as recorded; generations, settings and runs are measured now, with the same test set.
    """
    from assay.experiments import compare as compare_systems

    with Assay.open(options.settings_from(config, data_dir)) as assay:
        comparison = compare_systems(
            assay,
            (a, b),
            measures=_measures(measure or [], fail_if_worse),
            test_set=testset,
            generation=generation,
            allow_removals=allow_removals,
            progress=progress(),
        )
    if as_json:
        print_json(comparison_body(comparison))
    else:
        show_comparison(out(), comparison, topics)
    if fail_if_worse is None:
        return
    found = worse(comparison, fail_if_worse)
    if found is Conclusion.WORSE:
        lost = comparison.lost_topics is not None and comparison.lost_topics.outcome is Outcome.FAIL
        err().print(f"[red bold]B {'lost the answers of topics' if lost else 'is significantly worse'}.[/]")
        raise typer.Exit(EXIT_WORSE)
    if found is Conclusion.UNFAIR:
        err().print("[yellow]B may be worse; too many of its hits are unjudged to tell.[/] `assay label` shows them.")
        raise typer.Exit(EXIT_UNDECIDED)


def _measures(named: list[str], fail_if_worse: str | None) -> list[str]:
    """The measures to compare, with that of --fail-if-worse; none for the default ones. Raises InputError."""
    if fail_if_worse is None or fail_if_worse.lower() == ANY:
        return named
    needed = parse_measure(fail_if_worse).name
    return named if not named and needed in HEADLINE else [*named, needed]
