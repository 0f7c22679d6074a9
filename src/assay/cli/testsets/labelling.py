"""`assay label`: label unjudged hits with one key each."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from assay.app import Assay
from assay.app.testsets import file_stamp, load_test_set
from assay.cli import options
from assay.cli.failures import EXIT_INTERRUPTED, EXIT_TERMINATED, EXIT_UNREACHABLE
from assay.cli.terminal.output import err, out, print_json
from assay.cli.terminal.progress import progress
from assay.cli.terminal.signals import Terminated
from assay.cli.terminal.visible import visible
from assay.cli.testsets.label_keys import pressed_keys
from assay.cli.testsets.label_screen import HELP, KEYS, LABEL_WORDS, show_item, show_list, show_passage
from assay.errors import InputError
from assay.model.counting import counted, some_of
from assay.model.labelling import LabelEntry, Standing, ToLabel
from assay.validation.labelling.sheet import Sheet, refuse_label, standings

_NAMED = 8


def label(
    testset: options.TestSetFile = None,
    generation: options.MeasuredGeneration = None,
    topic: Annotated[list[str] | None, typer.Option("--topic", help="Only this topic, by its id; repeatable.")] = None,
    depth: Annotated[int, typer.Option("--depth", min=1, max=100, help="Hits of each topic.")] = 5,
    skipped: Annotated[bool, typer.Option("--skipped", help="Include hits that were skipped before.")] = False,
    judge: Annotated[
        str, typer.Option("--judge", help="Your name, so that the labels of two people can be compared.")
    ] = "",
    listed: Annotated[bool, typer.Option("--list", help="List the unjudged hits and exit.")] = False,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Label unjudged hits with one key each. Every label is saved to the test set at once.

    Topics whose labels decide most come first. Rank and score are hidden to avoid bias. You can quit at any time.
    """
    with Assay.open(options.settings_from(config, data_dir)) as assay:
        path = testset or assay.evaluation.test_set_path()
        if path is None:
            raise InputError(
                "There is no test set to add labels to.", hint="Set one with --testset FILE or [validation] testset."
            )
        sheet = assay.labels.sheet(
            load_test_set(path), generation, topics=topic or (), depth=depth, progress=progress()
        )
        hidden = set() if skipped else assay.labels.skipped.of(path)
        items = [item for item in sheet.items if (item.topic.id, item.chunk.content_hash) not in hidden]
        for topic_id, reason in sheet.failed.items():
            err().print(f"[yellow]{escape(visible(topic_id))} could not be searched: {escape(visible(reason))}[/]")
        for problem in sheet.problems:
            err().print(f"[yellow]{escape(visible(problem))}[/]")
        if as_json:
            print_json(list_body(sheet, items))
        elif listed:
            show_list(out(), items)
            out().print(f"{counted(len(items), 'hit')} to label{_skipped_note(len(sheet.items) - len(items))}.")
        elif not items:
            note = _skipped_note(len(sheet.items))
            out().print(f"Nothing is left to label among the first {counted(depth, 'hit')}{note}.")
        else:
            _label_all(assay, sheet, items, path, judge)


def list_body(sheet: Sheet, items: Sequence[ToLabel]) -> dict[str, Any]:
    """Return the JSON body of `label --json`: each hit with its judgment, without the label."""
    from assay.contracts.operators.labelling import to_item

    return {
        "generation": sheet.generation,
        "test_set": sheet.test_set.name,
        "to_label": [to_item(item).to_dict() for item in items],
        "failed": dict(sheet.failed),
        "problems": list(sheet.problems),
    }


def _skipped_note(count: int) -> str:
    return f"; {count} were skipped before (`--skipped` includes them)" if count else ""


def _label_all(assay: Assay, sheet: Sheet, items: Sequence[ToLabel], path: Path, judge: str) -> None:
    """Run a session and print its summary, even after an interrupt."""
    console = out()
    session = Session(assay, sheet, items, path, console, judge)
    code = 0
    try:
        with pressed_keys() as pressed:
            session.run(pressed)
    except KeyboardInterrupt as interrupt:
        code = EXIT_TERMINATED if isinstance(interrupt, Terminated) else EXIT_INTERRUPTED
    session.summarize()
    code = code or (EXIT_UNREACHABLE if session.has_unsaved else 0)
    if code:
        raise typer.Exit(code)


class Session:
    """One labelling session: saves each label at once, and can undo it."""

    def __init__(
        self, assay: Assay, sheet: Sheet, items: Sequence[ToLabel], path: Path, console: Console, judge: str = ""
    ) -> None:
        self._assay = assay
        self._labeller = assay.labelling.labeller(path, judge)
        self._sheet = sheet
        self._items = items
        self._path = path
        self._console = console
        self._index = 0
        self._done: list[tuple[int, LabelEntry]] = []
        self._stamp = file_stamp(path)
        self._unsaved: set[int] = set()

    @property
    def has_unsaved(self) -> bool:
        """Whether a label could not be saved, and no later try saved it."""
        return bool(self._unsaved)

    def run(self, pressed: Iterator[str]) -> None:
        """Ask for labels until none is left, the input ends or the user quits. Raises KeyboardInterrupt."""
        while True:
            self._skip_judged_elsewhere()
            if self._index < len(self._items):
                show_item(self._console, self._items[self._index], self._index + 1, len(self._items))
            else:
                self._console.print("\nThat was the last one. [dim]u undo · any other key ends[/]")
            before = self._index, len(self._done)
            while (self._index, len(self._done)) == before:
                key = next(pressed, "q")
                if key == "q" or (self._index == len(self._items) and key not in {"u", "?"}):
                    return
                self._answer(key)

    def _answer(self, key: str) -> None:
        """Run the command of a key."""
        has_item = self._index < len(self._items)
        if key == "u":
            self._undo()
        elif key == "?":
            self._console.print(HELP, markup=False)
        elif has_item and key in {"0", "1", "2"}:
            self._label(self._items[self._index], int(key))
        elif has_item and key == "s":
            self._skip(self._items[self._index])
        elif has_item and key == "o":
            show_passage(self._console, self._items[self._index], full=True)
        else:
            self._console.print(KEYS, style="dim", markup=False)

    def _label(self, item: ToLabel, label: int) -> None:
        try:
            refuse_label(item.topic, label)
        except InputError as error:
            self._warn(str(error))
            return
        try:
            entry, known = self._labeller.label(item.topic, item.passage, label, item.chunk.content_hash)
        except InputError as error:
            self._unsaved.add(self._index)
            self._warn(str(error))
            return
        self._unsaved.discard(self._index)
        self._stamp = file_stamp(self._path)
        if known is not None:
            self._warn(f"The file already has the label {known.label} for it; that label stays.")
            self._index += 1
            return
        self._console.print(f"[green]{label}[/] {LABEL_WORDS[label]}")
        self._done.append((self._index, entry))
        self._index += 1

    def _skip(self, item: ToLabel) -> None:
        entry = self._labeller.skip(item.topic.id, item.chunk.content_hash)
        self._console.print("skipped")
        self._done.append((self._index, entry))
        self._index += 1

    def _undo(self) -> None:
        if not self._done:
            self._warn("There is nothing to undo in this session.")
            return
        index, entry = self._done[-1]
        try:
            self._labeller.undo(entry)
        except InputError as error:
            self._warn(str(error))
            return
        if entry.label is not None:
            self._stamp = file_stamp(self._path)
        self._done.pop()
        self._index = index
        self._console.print("undone")

    def _skip_judged_elsewhere(self) -> None:
        """If the file was changed outside this session, skip the hits that it labels now."""
        stamp = file_stamp(self._path)
        if stamp == self._stamp or self._index >= len(self._items):
            return
        self._stamp = stamp
        try:
            known = {
                topic.id: {judgment.passage for judgment in topic.judgments}
                for topic in load_test_set(self._path).topics
            }
        except InputError as error:  # it may be half edited; adding a label reports it again
            self._warn(str(error))
            return
        while self._index < len(self._items):
            item = self._items[self._index]
            if item.passage not in known.get(item.topic.id, ()):
                return
            self._index += 1

    def _warn(self, sentence: str) -> None:
        self._console.print(f"[yellow]{escape(visible(sentence))}[/]")

    def summarize(self) -> None:
        """Print the labels given, the topics that they decided, and the next step."""
        labels = Counter(entry.label for _, entry in self._done if entry.label is not None)
        skipped = sum(entry.label is None for _, entry in self._done)
        left = len(self._items) - self._index
        counts = ", ".join(f"{count} × {label}" for label, count in sorted(labels.items()))
        self._console.print(
            f"\n[bold]{counted(labels.total(), 'label')}[/] in {escape(str(self._path))}"
            f"{f' ({counts})' if counts else ''}; "
            f"{skipped} skipped, {left} left."
        )
        if labels:
            self._show_decided()
        if left:
            self._console.print("[dim]`assay label` continues.[/]")
        elif labels:
            self._console.print(
                f"[dim]Next: `assay validate --testset {escape(str(self._path))}`; `assay calibrate` finds the "
                "similarity threshold that fits these labels.[/]"
            )

    def _show_decided(self) -> None:
        limits = self._assay.systems.gate.quality
        try:
            now = standings(self._assay.labels.measure_again(self._sheet, load_test_set(self._path)), limits)
        except InputError as error:
            self._warn(str(error))
            return
        before = standings(self._sheet.results, limits)
        for standing, words in _DECIDED.items():
            ids = [one for one, found in now.items() if found is standing and before.get(one) is Standing.OPEN]
            if ids:
                self._console.print(
                    f"Decided, whatever else is labelled: {counted(len(ids), 'topic')} {words} P@5 "
                    f"{limits.min_precision:g}: {_named(ids)}"
                )
        still = [one for one, found in now.items() if found is Standing.OPEN]
        if still:
            self._console.print(f"Still open: {counted(len(still), 'topic')}: {_named(still)}")


_DECIDED: Mapping[Standing, str] = {Standing.REACHED: "at or above", Standing.MISSED: "below"}


def _named(ids: Sequence[str]) -> str:
    return escape(visible(some_of(ids, _NAMED), lines=False))
