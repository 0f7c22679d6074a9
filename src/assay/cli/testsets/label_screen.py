"""The labelling screen: the query, the passage and its location, without rank and score."""

from collections.abc import Sequence

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from assay.cli.terminal.visible import visible
from assay.contracts.passages.highlights import highlights
from assay.model.counting import counted
from assay.model.labelling import ToLabel

LABEL_WORDS = ("does not answer it", "helps", "answers it")
KEYS = "0 no · 1 helps · 2 answers · s skip · u undo · o more · q quit · ? help"
HELP = """\
  0  the passage does not answer the query, nor does it help
  1  it helps: part of the answer, or a step towards it
  2  it answers the query
  s  skip it: it comes back only with --skipped
  u  undo the last key: removes its label from the file
  o  show all of a long passage
  q  quit (or Ctrl-C); the next session continues here
Judge each passage on its own, as if it were the only result."""

_FEWEST_LINES = 8
_AROUND = 12
_INDENT = "  "


def show_item(console: Console, item: ToLabel, number: int, total: int) -> None:
    """Print one hit, cut to the height of the screen."""
    title = f"{number} of {total} · {visible(item.topic.id, lines=False)}"
    console.print()
    console.print(Rule(Text(title)) if console.is_terminal else Text(f"--- {title} ---"))
    console.print(Text(visible(item.topic.text, lines=False), style="bold"))
    if not item.topic.expects_answer:
        console.print(Text("(The topic expects no answer: `expect: no_answer`.)", style="yellow"))
    console.print()
    trail = visible(item.chunk.trail, lines=False)
    if trail:
        console.print(Text(trail, style="cyan"))
    console.print(Text(visible(item.chunk.section_url, lines=False), style="dim"))
    show_passage(console, item, full=False)
    console.print(Text(KEYS, style="dim"))


def show_passage(console: Console, item: ToLabel, *, full: bool) -> None:
    """Print the passage with the query's words highlighted. full: do not cut it to the screen."""
    text = visible(item.chunk.text)
    passage = Text(text)
    for start, end in highlights(text, item.topic.text):
        passage.stylize("bold yellow", start, end)
    width = max(console.width - len(_INDENT), 20)
    lines = list(passage.wrap(console, width)) if console.is_terminal else list(passage.split("\n", allow_blank=True))
    room = max(console.height - _AROUND, _FEWEST_LINES) if console.is_terminal else len(lines)
    shown = lines if full or len(lines) <= room + 1 else lines[:room]
    console.print()
    for line in shown:
        line.rstrip()
        console.print(Text(_INDENT) + line)
    if len(shown) < len(lines):
        console.print(Text(f"{_INDENT}… {counted(len(lines) - len(shown), 'more line')} (o)", style="dim"))
    console.print()


def show_list(console: Console, items: Sequence[ToLabel]) -> None:
    """Print all hits, one a line, grouped by topic."""
    topic_id = None
    for item in items:
        if item.topic.id != topic_id:
            topic_id = item.topic.id
            console.print(
                Text.assemble(
                    (visible(topic_id, lines=False), "bold"), "  ", (visible(item.topic.text, lines=False), "")
                )
            )
        words = visible(item.chunk.text, lines=False)
        line = Text.assemble(_INDENT, (visible(item.chunk.trail or item.chunk.document.url, lines=False), "cyan"), "  ")
        line.append(words)
        if console.is_terminal:
            line.truncate(console.width, overflow="ellipsis")
        console.print(line)
