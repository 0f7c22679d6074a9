"""`assay testset stats`: statistics of a test set, as counts, bars and one JSON object."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from rich.console import Console
from rich.markup import escape

from assay.app.testsets import load_test_set
from assay.cli import options
from assay.cli.terminal.output import out, print_json
from assay.model.counting import counted
from assay.validation.testsets.stats import POWER, TESTS, TestSetStats, stats_of, typical_differences

_BAR = 30
_EIGHTHS = " ▏▎▍▌▋▊▉"
_NAMED = 10
_STEPS = (50, 100, 200, 500, 1_000)


def stats(
    file: options.TestSetArgument,
    as_json: options.Json = False,
) -> None:
    """Count topics and judgments of a test set, and estimate the smallest difference that it can detect."""
    test_set = load_test_set(file)
    found = stats_of(test_set)
    if as_json:
        print_json({"name": test_set.name, "fingerprint": test_set.fingerprint, **asdict(found)})
    else:
        _show(out(), test_set.name, found)


def _show(console: Console, name: str, found: TestSetStats) -> None:
    judgments = sum(found.labels.values())
    topics, pages = counted(found.topics, "topic"), counted(found.pages, "page")
    console.print(f"[bold]{escape(name)}[/]: {topics}, {counted(judgments, 'judgment')} on {pages}\n")
    _bars(console, "type", found.by_type)
    _bars(console, "category", found.by_category)
    if set(found.by_origin) != {"by hand"}:
        _bars(console, "origin", found.by_origin)
    _bars(console, "labels", {_LABELS[label]: found.labels[label] for label in sorted(found.labels, reverse=True)})
    _bars(console, "judged by", found.passages)
    _bars(console, "judgments per topic", _grouped(found.histogram))
    fewest, middle, most = found.judgments_per_topic
    console.print(f"Judgments per topic: {fewest} to {most}, median {middle:g}.")
    _show_ids(console, "Without a label of 1 or 2, so that no hit can be relevant", found.unanswered)
    duplicates = [f"{one} ({other})" for one, other in found.duplicates.items()]
    _show_ids(console, "With the same query as another topic", duplicates)
    if found.no_answer:
        console.print(f"{found.no_answer} expect no answer.")
    if found.paraphrases:
        inherited = f", {found.inherited} of them with its judgments" if found.inherited else ""
        console.print(f"{found.paraphrases} paraphrase another topic{inherited}.")
    _show_power(console, found)


_LABELS = {2: "2 answers", 1: "1 helps", 0: "0 does not"}


def _show_power(console: Console, found: TestSetStats) -> None:
    if not found.smallest_differences:
        console.print("\nFewer than two topics have an answer: no difference can be detected.")
        return
    steps = [topics for topics in _STEPS if topics > found.answerable][:2]
    console.print(
        f"\nSmallest difference in nDCG@10 that this number of topics can detect ({POWER:.0%} power, {TESTS} tests):"
    )
    width = max(map(len, found.smallest_differences))
    for what, difference in found.smallest_differences.items():
        more = "".join(f", with {topics:,} {typical_differences(topics)[what]:.3f}" for topics in steps)
        console.print(f"  {what:<{width}}  [bold]{difference:.3f}[/]{more}", soft_wrap=True)
    console.print("[dim]`assay compare` computes it for two runs, from their measurements.[/]")


def _bars(console: Console, heading: str, counts: Mapping[str, int]) -> None:
    if not counts:
        return
    most = max(*counts.values(), 1)
    width = max(len(name) for name in counts)
    for number, (name, count) in enumerate(counts.items()):
        lead = heading if number == 0 else ""
        console.print(f"[dim]{lead:<20}[/] {name:<{width}}  [cyan]{_bar(count / most)}[/] {count:,}", soft_wrap=True)
    console.print()


def _bar(share: float) -> str:
    eighths = round(share * _BAR * 8)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()).ljust(1)


def _grouped(histogram: Mapping[int, int]) -> dict[str, int]:
    """Count the topics by number of judgments, in groups of growing width."""
    groups = ((0, 0), (1, 1), (2, 4), (5, 9), (10, 19), (20, 49), (50, 10**9))
    named: dict[str, int] = {}
    for low, high in groups:
        count = sum(topics for judgments, topics in histogram.items() if low <= judgments <= high)
        name = str(low) if low == high else f"{low} to {high}" if high < 10**9 else f"{low} or more"
        if count:
            named[name] = count
    return named


def _show_ids(console: Console, heading: str, ids: Sequence[str]) -> None:
    if ids:
        more = f" and {len(ids) - _NAMED} more (--json lists all)" if len(ids) > _NAMED else ""
        console.print(f"[yellow]{heading}: {len(ids)}[/] ({escape(', '.join(ids[:_NAMED]))}{more}).")
