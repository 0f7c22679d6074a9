"""Peak memory of reading hostile pages of the maximum size, each in its own process.

Run as `python -m benchmarks.page_memory [NAME…]`; names select pages by prefix. The table has the result of each page
and the peak memory of its process, including interpreter and tokenizer. The limit is 300 MB.
"""

import os
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, process_time

from assay.adapters.embedders.static import StaticEmbedder
from assay.adapters.sources.site.pages.facts import read_html_facts
from assay.ingest.chunking.chunker import ChunkingRules
from assay.ingest.cuts import Cut
from assay.ingest.workers.limits import PageLimits
from assay.ingest.workers.messages import Refused, Setup, pickle_message
from assay.ingest.workers.process import WorkerProcess
from assay.model.documents import MediaType, RawPage
from assay.settings import IngestSettings
from assay.settings.sources import SourceSettings

_LENGTH = SourceSettings.model_fields["max_page_bytes"].default
_SLACK = 5
"""Tolerance in megabytes: the kernel also counts memory that is shared with other processes."""
_EXIT_STEP = 4
"""Megabytes of each unit of the exit code, with which a fork reports its peak."""

_MARKDOWN: dict[str, Callable[[], str]] = {
    "paragraphs": lambda: _filled("# T\n\n", "Words of a paragraph, and a few more of them.\n\n"),
    "one line": lambda: _filled("", "word "),
    "a long heading": lambda: "# T\n\n" + _filled("", "prose ", _LENGTH - 100) + "\n---\n\ntext\n",
    "headings": lambda: _filled("", "## a\n"),
    "list items": lambda: _filled("", "- a\n"),
    "rows of a table": lambda: _filled("|a|b|\n|-|-|\n", "|a|b|\n"),
    "links": lambda: _filled("", "[a](b) "),
    "references": lambda: _filled("", "[a]: b\n"),
    "emphasis": lambda: _filled("", "*a* "),
    "tags": lambda: _filled("", "<b>a"),
    "declarations": lambda: _filled("", "a <? "),
    "brackets": lambda: _filled("", "["),
    "quotations": lambda: _filled("", "> a\n\n"),
    "code": lambda: _filled("", "```\na\n```\n"),
    "footnotes": lambda: _filled("[^a]: b\n\n", "[^a] "),
}
_HTML: dict[str, Callable[[], str]] = {
    "HTML: paragraphs": lambda: _filled("<h1>T</h1>", "<p>Words of a paragraph, and a few more.</p>"),
    "HTML: a long heading": lambda: (
        "<h2>" + _filled("", "a ", _LENGTH // 2) + "</h2>" + _filled("", "<p>a", _LENGTH // 2)
    ),
    "HTML: empty paragraphs": lambda: _filled("", "<p>"),
    "HTML: items": lambda: _filled("<ul>", "<li>a"),
    "HTML: cells": lambda: _filled("<table><tr>", "<td>a"),
    "HTML: links": lambda: _filled("", "<a href=b>a</a> "),
    "HTML: options": lambda: _filled("<select>", "<option>a</option>"),
    "HTML: formatting": lambda: _filled("", "<b>a"),
    "HTML: attributes": lambda: _filled("<p ", "a=b "),
}

_FACTS: dict[str, Callable[[], str]] = {
    **_HTML,
    "HTML: numbers": lambda: _filled("", "1 "),
    "HTML: numbered links": lambda: "".join(f"<a href=/{number}>a</a>" for number in range(_LENGTH // 22)),
    "HTML: keywords": lambda: _filled("<head>", "<meta name=keywords content='a,b'>"),
}
"""The build also reads the facts of a site's pages, besides the workers."""


def _filled(before: str, unit: str, length: int = _LENGTH) -> str:
    return before + unit * ((length - len(before)) // len(unit))


def _page(text: str, media_type: MediaType, generator: str | None) -> RawPage:
    return RawPage(
        "a", "https://docs.example.org/a", text, media_type, "bench", "a", "0" * 64, "a", generator=generator
    )


def _is_asked(name: str, words: Sequence[str]) -> bool:
    return not words or any(name.startswith(word) for word in words)


def _peak(pid: int) -> int:
    """Peak megabytes of a process."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def measured(setup: Setup, name: str, page: RawPage) -> int:
    """Read a page in a new process and print the result; return the peak in megabytes."""
    process = WorkerProcess(pickle_message(setup), setup.limits.answer_timeout * 4)
    started = perf_counter()
    try:
        ticket = process.give([page]) if process.wait_until_ready() else None
        if ticket is None:
            print(f"{name:<36} the process did not start")
            return 0
        answers = process.take(ticket)
        seconds = perf_counter() - started
        if answers is None:
            print(
                f"{name:<36}    –    {seconds:6.1f} s  failed: its process has ended ({process.exit_reason()})",
                flush=True,
            )
            return 0
        peak = _peak(process.pid)
        answer = answers[0]
        became = f"{len(answer.chunks):,} chunks" if isinstance(answer, Cut) else "left to the build"
        if isinstance(answer, Refused):
            became = f"failed: {answer.reason}"
        print(f"{name:<36} {peak:>4} MB {seconds:6.1f} s  {became}", flush=True)
        return peak
    finally:
        process.stop()


def facts_measured(name: str, text: Callable[[], str]) -> int:
    """Read a page's facts in a fork of this process and print the time; return the peak in megabytes."""
    pid = os.fork()
    if pid == 0:
        page, started = text(), process_time()
        read_html_facts(page, "https://docs.example.org/1", {}, datetime.now(UTC))
        print(f"{'facts, ' + name:<36} {_peak(os.getpid()):>4} MB {process_time() - started:6.1f} s", flush=True)
        os._exit(min(_peak(os.getpid()) // _EXIT_STEP, 255))
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) * _EXIT_STEP


def main(words: Sequence[str] = ()) -> int:
    """Print the table; return 1 if a page is over the limit. words: prefixes of page names; empty for all."""
    if sys.platform != "linux":
        print("Skipped: the peak of another process is read from /proc, which only Linux has.")
        return 0
    embedder = StaticEmbedder()
    limits = IngestSettings().options(PageLimits)
    setup = Setup(ChunkingRules(1_800, None, 0, embedder.tokenizer), embedder.token_counter, limits, None)
    print(f"{'page of ' + format(_LENGTH, ',') + ' bytes':<36}   peak     time  what became of it")
    peaks = [0]
    for name, text in _FACTS.items():
        if _is_asked("facts, " + name, words):
            peaks.append(facts_measured(name, text))
    for name, text in _MARKDOWN.items():
        for dialect, media_type in (("mkdocs", MediaType.MARKDOWN), ("docusaurus", MediaType.MDX)):
            if _is_asked(f"{name}, {dialect}", words):
                peaks.append(measured(setup, f"{name}, {dialect}", _page(text(), media_type, dialect)))
    for name, text in _HTML.items():
        if _is_asked(name, words):
            peaks.append(measured(setup, name, _page(text(), MediaType.HTML, None)))
    print(f"worst: {max(peaks)} MB")
    return 1 if max(peaks) > limits.page_megabytes + _SLACK else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
