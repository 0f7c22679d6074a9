"""`assay testset repair`: find judgments whose passages have moved or are lost, and update those found."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from assay.app import Assay
from assay.app.testsets import change_many, load_test_set, own_judgments
from assay.cli import options
from assay.cli.failures import EXIT_FAIL
from assay.cli.terminal.output import err, out, print_json
from assay.model.counting import counted
from assay.model.evaluation import Anchoring, Passage
from assay.validation.judgments.repairing import Repair, RepairPlan, by_topic
from assay.validation.testsets.plain import plain_passage

_WORDS = 60
_LISTED = 50
_OUTCOMES = {
    Anchoring.EXACT: "exact",
    Anchoring.RE_ANCHORED: "found in changed pages",
    Anchoring.AMBIGUOUS: "ambiguous",
    Anchoring.ORPHANED: "orphaned",
}


def repair(
    file: options.TestSetArgument,
    generation: options.ReadGeneration = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all", help="Also store hash, position and context of exact quotes, so that they survive later edits."
        ),
    ] = False,
    write: Annotated[
        bool, typer.Option("--write", help="Update the proven judgments in the file; nothing else in it changes.")
    ] = False,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """List the judgments whose passages have moved or are lost. With --write, update those with a proven new place.

    Exit code 1 if any judgment is lost.
    """
    test_set = load_test_set(file)
    own = own_judgments(file)
    with Assay.open(options.settings_from(config, data_dir)) as assay:
        found, plan = assay.labels.plan_repairs(test_set, generation, everything=everything)
    proven = [one for one in plan.proven if one.topic_id in own]
    lost = [one for one in plan.lost if one.topic_id in own]
    if write and proven:
        change_many(file, by_topic(proven))
    if as_json:
        print_json(_body(file, found, plan, proven, lost, written=write and bool(proven)))
    else:
        _show(out(), plan, proven, lost)
        _summarize(file, found, proven, lost, write=write)
    if lost:
        raise typer.Exit(EXIT_FAIL)


def _show(console: Console, plan: RepairPlan, proven: list[Repair], lost: list[Repair]) -> None:
    total = sum(plan.outcomes.values())
    parts = ", ".join(f"{count:,} {_OUTCOMES[outcome]}" for outcome, count in plan.outcomes.items() if count)
    console.print(f"{counted(total, 'judgment')}: {parts or 'none'}\n")
    for one in proven[:_LISTED]:
        assert one.repaired is not None
        console.print(f"[green]{_name(one)}[/] {escape(_changes(one.judgment.passage, one.repaired.passage))}")
        if one.resolution.reason:
            console.print(f"  [dim]{escape(one.resolution.reason)}[/]", soft_wrap=True)
    _rest(console, len(proven))
    for one in lost[:_LISTED]:
        console.print(f"[red]{_name(one)}[/] {escape(_target(one.judgment.passage))}", soft_wrap=True)
        console.print(f"  {escape(one.resolution.reason)}", soft_wrap=True)
    _rest(console, len(lost))


def _rest(console: Console, count: int) -> None:
    if count > _LISTED:
        console.print(f"… and {count - _LISTED:,} more; --json has all")


def _summarize(file: Path, generation: str, proven: list[Repair], lost: list[Repair], *, write: bool) -> None:
    name = escape(str(file))
    if write and proven:
        err().print(f"Updated {counted(len(proven), 'judgment')} of {name} as found in generation {generation}.")
    elif proven:
        err().print(f"{counted(len(proven), 'judgment')} can be updated: assay testset repair {name} --write")
    elif not lost:
        err().print("Nothing to repair.")
    if lost:
        err().print(
            f"{counted(len(lost), 'judgment')} without a proven place: quote text that is on the page now, or remove "
            "them."
        )


def _name(one: Repair) -> str:
    return f"{escape(one.topic_id)}, judgment {one.number + 1}:"


def _target(passage: Passage) -> str:
    """Describe the page, section or chunk of a passage in a few words."""
    if passage.quote is not None:
        return f"{passage.url}: “{_cut(passage.quote.exact)}”"
    if passage.chunk_id is not None or passage.content_hash is not None:
        return f"chunk {passage.chunk_id or passage.content_hash}"
    return f"{passage.url}#{passage.section}" if passage.section else str(passage.url)


def _changes(before: Passage, after: Passage) -> str:
    """List the changed keys of a passage."""
    old, new = plain_passage(before), plain_passage(after)
    parts = []
    for key, value in new.items():
        if key not in old:
            parts.append(f"+ {key}")
        elif old[key] != value:
            parts.append(f"{key} → {_cut(str(value))}" if key in {"url", "section"} else f"{key} changed")
    return f"{_target(before)}\n  {', '.join(parts)}"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WORDS else f"{line[:_WORDS]}…"


def _body(
    file: Path, generation: str, plan: RepairPlan, proven: list[Repair], lost: list[Repair], *, written: bool
) -> Mapping[str, object]:
    return {
        "file": str(file),
        "generation": generation,
        "outcomes": {outcome.value: count for outcome, count in plan.outcomes.items()},
        "written": written,
        "repairs": [_repair_body(one) for one in proven],
        "lost": [_repair_body(one) for one in lost],
    }


def _repair_body(one: Repair) -> dict[str, object]:
    return {
        "topic": one.topic_id,
        "judgment": one.number,
        "outcome": one.resolution.anchoring.value,
        "reason": one.resolution.reason,
        "before": plain_passage(one.judgment.passage),
        "after": plain_passage(one.repaired.passage) if one.repaired else None,
    }
