"""Pages read ahead by workers come back as if the build had read them, whatever befalls the workers."""

import os
import signal
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from tests.page_limits import PAGE_LIMITS
from tests.pages import page
from tests.workers import (
    PatientReadAhead,
    Unloadable,
    fails_elsewhere,
    greedy,
    never_done,
    pids,
    short_of_memory,
    suicidal,
    talkative,
    where_it_runs,
    words,
)

from assay.child_process import worker_count
from assay.ingest.chunking.chunker import ChunkingRules, chunk_document
from assay.ingest.copied_pages import CopiedPages
from assay.ingest.cuts import Cut
from assay.ingest.reading import read_page
from assay.ingest.workers.early_reading import read_early
from assay.ingest.workers.guard import LARGE, is_large
from assay.ingest.workers.limits import PageLimits
from assay.ingest.workers.messages import Setup
from assay.ingest.workers.read_ahead import SourcePage
from assay.model.documents import MediaType, PageExcluded, PageFailed, PageRead, PageUnchanged, RawPage
from assay.ports import TokenCounter

RULES = ChunkingRules(400, None, 0, "words")
RUN = 8
"""Pages that are handed over together; small ones."""

Result = tuple[str, PageRead, Cut | None]


def _page(number: int, body: str = "", **changes: Any) -> RawPage:  # noqa: ANN401 - any field
    text = f"# Part {number}\n\n{body}" + "\n\n".join(f"## Step {step}\n\nTurn it {step} times." for step in range(9))
    return page(text, key=f"{number}.md", url=f"https://docs.example/{number}", **changes)


def _items(*pages: PageRead) -> list[SourcePage]:
    return [("docs", each) for each in pages]


def _ahead(
    counter: TokenCounter | None = words,
    workers: int = 2,
    start_after: int = 0,
    limits: PageLimits = PAGE_LIMITS,
    copies: CopiedPages | None = None,
) -> PatientReadAhead:
    setup = None if counter is None else Setup(RULES, counter, limits, None)
    return PatientReadAhead(setup, copies or CopiedPages(), workers=workers, start_after=start_after)


def _cut(each: RawPage, counter: TokenCounter = words) -> Cut:
    document = read_page(each)
    return Cut(document, chunk_document(document, RULES, counter))


def _results(counter: TokenCounter, items: list[SourcePage], limits: PageLimits = PAGE_LIMITS) -> list[Result]:
    with _ahead(counter, limits=limits) as ahead:
        return list(ahead.read(items))


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_pages_come_back_in_order_and_cut_as_the_build_would_cut_them() -> None:
    pages = [_page(number) for number in range(60)]
    results = _results(words, _items(*pages))
    assert [page for _, page, _ in results] == pages
    cuts = {page.key: cut for _, page, cut in results if cut}
    assert len(cuts) >= len(pages) - 3 * RUN
    assert cuts == {each.key: _cut(each) for each in pages if each.key in cuts}


def test_what_is_no_new_page_keeps_its_place_among_them() -> None:
    items: list[SourcePage] = []
    for number in range(60):
        items.append(("docs", _page(number)))
        other = [PageUnchanged(f"u{number}", "hash"), PageFailed(f"f{number}", "torn"), PageExcluded(f"e{number}", "x")]
        items.append(("more", other[number % 3]))
    results = _results(words, items)
    assert [(source, page) for source, page, _ in results] == items
    assert not any(cut for _, page, cut in results if not isinstance(page, RawPage))


def test_links_are_those_of_each_page_also_when_they_change_between_pages() -> None:
    first, second = {"a.md": "https://docs.example/first"}, {"a.md": "https://docs.example/second"}
    pages = [_page(n, "See [a](a.md).\n\n", links=first if n // 12 % 2 else second) for n in range(72)]
    results = _results(words, _items(*pages))
    cuts = {page.key: cut for _, page, cut in results if cut}
    assert len(cuts) > 40
    assert {key: cut.document.links for key, cut in cuts.items()} == {
        each.key: _cut(each).document.links for each in pages if each.key in cuts
    }


def _two_versions(*pages: RawPage) -> list[RawPage]:
    return [
        replace(each, version=version, key=f"{version}/{each.key}", url=f"https://d.example/{version}/{each.key}")
        for version in ("1.0", "2.0")
        for each in pages
    ]


def test_pages_with_the_content_of_an_earlier_one_are_copied() -> None:
    pages, copies = _two_versions(*map(_page, range(40))), CopiedPages()
    read: dict[str, Cut] = {}
    with _ahead(copies=copies) as ahead:
        for _, page, cut in ahead.read(_items(*pages)):
            assert isinstance(page, RawPage)
            if page.version == "2.0":
                assert cut == _cut(page)
                assert cut.document.text is read[page.key.removeprefix("2.0/")].document.text
            else:
                first = read[page.key.removeprefix("1.0/")] = cut or _cut(page)
                copies.keep(page, first)


def test_a_copy_with_an_address_that_is_too_long_fails_by_name() -> None:
    first, copy = _two_versions(_page(1))
    copies = CopiedPages()
    with _ahead(None, copies=copies) as ahead:
        results = ahead.read(_items(first, replace(copy, url=f"https://d.example/{'x' * 3_000}")))
        next(results)
        copies.keep(first, _cut(first))
        _, failed, _ = next(results)
    assert isinstance(failed, PageFailed)
    assert failed.key == copy.key
    assert "over the limit" in failed.reason


def test_a_large_copy_whose_links_part_is_read_within_limits() -> None:
    body = "[one](2.md) [two](/1.0/2)\n\n" + "Turn it and wait. " * (LARGE // 16)
    first, copy = (
        replace(
            each,
            links={f"{each.version}/2.md": f"https://d.example/{each.version}/2"},
            source_path=each.key,
            site_root="https://d.example",
        )
        for each in _two_versions(_page(1, body))
    )
    copies = CopiedPages()
    with _ahead(workers=0, copies=copies) as ahead:
        results = ahead.read(_items(first, copy))
        _, _, cut = next(results)
        assert cut
        copies.keep(first, cut)
        assert copies.has_read(copy)
        assert not copies.cut(copy)
        _, _, cut = next(results)
    assert cut  # of another process: the build would get None
    assert [link.target for link in cut.document.links] == ["https://d.example/2.0/2", "https://d.example/1.0/2"]


def test_few_characters_of_copies_wait_at_once() -> None:
    first, *others = [replace(_page(1, "x" * 100_000), key=f"{n}.md", version=f"{n}") for n in range(100)]
    taken = 0

    def source() -> Iterator[SourcePage]:
        nonlocal taken
        for each in (first, *others):
            taken += 1
            yield "docs", each

    copies, most = CopiedPages(), 0
    with _ahead(None, copies=copies) as ahead:
        for number, (_, page, cut) in enumerate(ahead.read(source())):
            assert isinstance(page, RawPage)
            copies.keep(page, cut or _cut(page))
            most = max(most, taken - number)
    assert taken == 100
    assert most < 10


def test_copies_of_a_page_that_took_too_long_are_read_within_limits_too() -> None:
    pages = _two_versions(page("# Slow\n\nIt ends never", key="slow.md"))
    with _ahead(never_done, limits=replace(PAGE_LIMITS, page_seconds=0.2)) as ahead:
        results = list(ahead.read(_items(*pages)))
    assert [type(page) for _, page, _ in results] == [PageFailed, PageFailed]


def test_a_page_that_cannot_be_read_fails_by_name() -> None:
    pages = [_page(n, media_type="application/pdf" if n == 40 else MediaType.MARKDOWN) for n in range(60)]
    results = _results(words, _items(*pages))
    failed = PageFailed("40.md", "40.md: there is no reader for application/pdf.")
    assert [page for _, page, cut in results[30:] if not cut] == [failed]


def test_a_page_that_cannot_travel_is_left_to_the_build_with_those_around_it(caplog: pytest.LogCaptureFixture) -> None:
    pages = [_page(n, front_matter={"hook": lambda: None} if n == 40 else {}) for n in range(60)]
    results = _results(words, _items(*pages))
    assert [page.key for _, page, _ in results] == [page.key for page in pages]
    left = [page.key for _, page, cut in results[30:] if not cut]
    assert "40.md" in left
    assert len(left) <= RUN
    assert not caplog.records


def test_a_killed_worker_loses_no_page(caplog: pytest.LogCaptureFixture) -> None:
    pages = [_page(number) for number in range(100)]
    with _ahead() as ahead:
        results = []
        for result in ahead.read(_items(*pages[:40])):
            results.append(result)
            if len(results) == 30:
                os.kill(pids(ahead)[0], signal.SIGKILL)
        results += ahead.read(_items(*pages[40:]))
        assert len(pids(ahead)) == 1
    assert [page for _, page, _ in results] == pages
    assert all(cut for _, _, cut in results[-20:])
    assert "killed by SIGKILL" in caplog.text
    assert "1 go on" in caplog.text


def _wait_for_their_end(ahead: PatientReadAhead) -> None:
    """A worker that has not ended yet takes pages, which another process reads when it turns out to be lost."""
    ends = monotonic() + 60
    while any(worker.exit_code is None for worker in ahead._workers):
        assert monotonic() < ends, "a killed worker does not end"
        sleep(0.01)


def test_a_build_whose_workers_are_all_killed_reads_on_alone(caplog: pytest.LogCaptureFixture) -> None:
    pages = [_page(number) for number in range(100)]
    with _ahead() as ahead:
        results = []
        for result in ahead.read(_items(*pages[:40])):
            results.append(result)
            if len(results) == 30:
                for worker in ahead._workers:
                    os.kill(worker._process.pid, signal.SIGKILL)
                _wait_for_their_end(ahead)
        results += ahead.read(_items(*pages[40:]))
    assert [page for _, page, _ in results] == pages
    assert not any(cut for _, _, cut in results[-40:])
    assert "read without workers" in caplog.text


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGSTOP on Windows")
@pytest.mark.parametrize("size", [1, 400], ids=["answer-overdue", "pipe-full"])
def test_a_worker_that_is_stopped_is_not_waited_for_without_end(size: int, caplog: pytest.LogCaptureFixture) -> None:
    pages = [_page(number, "Turn the wheel slowly.\n\n" * size) for number in range(140)]
    with _ahead(workers=1, limits=replace(PAGE_LIMITS, page_seconds=0.25)) as ahead:
        results = []
        for result in ahead.read(_items(*pages)):
            results.append(result)
            for pid in pids(ahead) if len(results) == 30 else []:
                os.kill(pid, signal.SIGSTOP)
    assert [page for _, page, _ in results] == pages
    assert not any(cut for _, _, cut in results[-20:])
    assert "gave no answer for 0.5 s" in caplog.text


def test_a_page_that_takes_too_long_fails_by_name_and_alone() -> None:
    pages = [_page(number) for number in range(60)]
    pages[40] = replace(pages[40], content="# Part 40\n\nThis ends never")
    results = _results(never_done, _items(*pages), replace(PAGE_LIMITS, page_seconds=0.5))
    failed = PageFailed("40.md", "reading it takes more than 0.5 s (ingest.page_seconds)")
    assert [page for _, page, _ in results] == [*pages[:40], failed, *pages[41:]]
    assert all(cut for _, _, cut in (*results[30:40], *results[41:]))


def test_a_page_that_takes_too_much_memory_fails_by_name_and_alone() -> None:
    pages = [_page(number, "This is too large.\n\n" if number == 40 else "") for number in range(60)]
    results = _results(short_of_memory, _items(*pages))
    failed = PageFailed("40.md", "reading it takes more than 300 MB of memory (ingest.page_megabytes)")
    assert [page for _, page, _ in results] == [*pages[:40], failed, *pages[41:]]
    assert all(cut for _, _, cut in (*results[30:40], *results[41:]))


def test_a_page_that_ends_every_process_fails_by_name_and_alone(caplog: pytest.LogCaptureFixture) -> None:
    pages = [_page(number, "This is the end.\n\n" if number == 40 else "") for number in range(60)]
    results = _results(suicidal, _items(*pages))
    failed = PageFailed("40.md", "the process that read it has ended (exit code 3)")
    assert [page for _, page, _ in results] == [*pages[:40], failed, *pages[41:]]
    assert "exit code 3" in caplog.text


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_memory_is_really_limited_for_a_large_page_and_there_need_be_no_workers() -> None:
    hungry = _page(1, "This is hungry.\n\n" + "word " * LARGE)
    fine = _page(2, "word " * LARGE)
    with _ahead(greedy, workers=0) as ahead:
        results = list(ahead.read(_items(_page(0), hungry, fine, hungry)))
    failed = PageFailed("1.md", "reading it takes more than 300 MB of memory (ingest.page_megabytes)")
    assert [page for _, page, _ in results] == [_page(0), failed, fine, failed]
    assert [cut == _cut(fine) for _, _, cut in results] == [False, False, True, False]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_an_html_page_whose_tree_is_too_large_fails_with_the_name_of_the_setting() -> None:
    large = _page(1, media_type=MediaType.HTML)
    large = replace(large, content="<p>a" * 300_000)
    with _ahead(workers=0, limits=PageLimits(page_seconds=30.0, page_megabytes=90)) as ahead:
        results = list(ahead.read(_items(large)))
    failed = PageFailed("1.md", "reading it takes more than 90 MB of memory (ingest.page_megabytes)")
    assert [page for _, page, _ in results] == [failed]


def test_a_page_with_large_includes_is_large() -> None:
    assert not is_large(_page(1, "a" * 1_000))
    assert is_large(_page(1, includes={"./a.mdx": "a" * LARGE}))


def test_what_a_worker_prints_does_not_come_between_its_answers() -> None:
    results = _results(talkative, _items(*(_page(number) for number in range(60))))
    assert all(cut for _, _, cut in results[30:])


def test_what_is_printed_when_python_starts_does_not_come_before_the_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('Welcome')", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    assert all(cut for _, _, cut in _results(words, _items(*(_page(number) for number in range(20)))))


@pytest.mark.parametrize("counter", [lambda texts: words(texts), Unloadable()], ids=["here", "there"])  # noqa: PLW0108
def test_a_counter_that_cannot_travel_leaves_every_page_to_the_build(
    counter: TokenCounter, caplog: pytest.LogCaptureFixture
) -> None:
    pages = [_page(number) for number in range(60)]
    with _ahead(counter) as ahead:
        results = list(ahead.read(_items(*pages)))
    assert [(page, cut) for _, page, cut in results] == [(page, None) for page in pages]
    assert "worker" in caplog.text


def test_an_interpreter_that_cannot_be_started_leaves_every_page_to_the_build(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    pages = [_page(number) for number in range(30)]
    with _ahead() as ahead:
        assert [(page, cut) for _, page, cut in ahead.read(_items(*pages))] == [(page, None) for page in pages]
    assert "No worker can be started" in caplog.text


@pytest.mark.parametrize(("counter", "workers", "start_after"), [(None, 2, 0), (words, 0, 0), (words, 2, 60)])
def test_no_worker_starts_where_none_is_wanted(counter: TokenCounter | None, workers: int, start_after: int) -> None:
    with _ahead(counter, workers, start_after) as ahead:
        results = list(ahead.read(_items(*(_page(number) for number in range(60)))))
        assert not pids(ahead)
    assert [cut for _, _, cut in results] == [None] * 60


def test_long_pages_start_workers_earlier() -> None:
    long = [replace(_page(number), content=f"{'a' * 99}\n" * 400) for number in range(6)]
    with _ahead(start_after=6) as ahead:
        list(ahead.read(_items(*(_page(number) for number in range(6)))))
        assert not pids(ahead)
    with _ahead(start_after=6) as ahead:
        list(ahead.read(_items(*long)))
        assert pids(ahead)


def test_a_source_that_expects_many_pages_starts_all_workers_before_it_reads_one() -> None:
    with _ahead(start_after=20) as ahead:
        ahead.expect(20)
        assert not pids(ahead)
        ahead.expect(10, 40_000 * 11)
        assert len(pids(ahead)) == 2


def test_unchanged_pages_start_no_worker() -> None:
    with _ahead(start_after=20) as ahead:
        results = list(ahead.read(_items(*(PageUnchanged(f"{number}.md", "hash") for number in range(500)))))
        assert not pids(ahead)
    assert len(results) == 500


def test_no_more_than_some_pages_are_ahead() -> None:
    taken = 0

    def counted(items: Iterable[SourcePage]) -> Iterator[SourcePage]:
        nonlocal taken
        for item in items:
            taken += 1
            yield item

    with _ahead() as ahead:
        items = _items(*(_page(number) for number in range(300)))
        most = max(taken - given for given, _ in enumerate(ahead.read(counted(items))))
    assert RUN < most <= RUN * 13 + 1


def test_large_pages_travel_one_by_one() -> None:
    pages = [_page(number, "word " * 20_000) for number in range(12)]
    with _ahead(workers=1) as ahead:
        results = list(ahead.read(_items(*(_page(100 + n) for n in range(10)), *pages)))
    assert [cut == _cut(each) for each, (_, _, cut) in zip(pages, results[10:], strict=True)] == [True] * 12


def test_workers_end_with_the_context() -> None:
    with _ahead() as ahead:
        reading = ahead.read(_items(*(_page(number) for number in range(300))))
        for _ in range(50):
            next(reading)
        running = pids(ahead)
        assert len(running) == 2
    assert not any(map(_is_running, running))


def test_one_worker_is_none_and_more_are_as_many(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [worker_count(wanted) for wanted in (1, 2, 9)] == [0, 2, 9]
    monkeypatch.setattr("assay.child_process._available_cpus", lambda: 16)
    assert worker_count(0) == 4
    monkeypatch.setattr("assay.child_process._available_cpus", lambda: 1)
    assert worker_count(0) == 0


@pytest.mark.parametrize("executable", ["", "/usr/bin/uwsgi", None])
def test_a_program_with_python_inside_starts_no_workers(
    executable: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    assert worker_count(4) == 0


def test_the_pages_that_come_back_are_those_that_went() -> None:
    pages = [_page(number, tags=(f"t{number}",)) for number in range(40)]
    results = _results(words, _items(*pages))
    assert all(given is taken for given, (_, taken, _) in zip(pages, results, strict=True))


def test_tasks_of_a_source_run_in_workers_between_pages_and_their_results_come_in_any_order() -> None:
    taken: list[object] = []

    def items() -> Iterator[SourcePage]:
        for number in range(60):
            yield "docs", _page(number)
            if number == 40:
                first, second = (ahead.run(partial(where_it_runs, wanted), 100) for wanted in ("first", "second"))
                taken.extend((second(), first()))

    with _ahead() as ahead:
        results = list(ahead.read(items()))
    assert [page.key for _, page, _ in results] == [f"{number}.md" for number in range(60)]
    assert all(cut for _, _, cut in results[45:])
    assert [wanted for wanted, _ in taken] == ["second", "first"]  # type: ignore[misc]
    assert os.getpid() not in [process for _, process in taken]  # type: ignore[misc]


@pytest.mark.parametrize("fate", ["raises", "ends", "cannot travel"])
def test_a_task_that_fails_in_a_worker_runs_in_the_build_which_reads_its_page_later(fate: str) -> None:
    task = (lambda read: ("here", os.getpid(), read(_page(1), None))) if fate == "cannot travel" else None
    with _ahead() as ahead:
        list(ahead.read(_items(*(_page(number) for number in range(40)))))
        result = ahead.run(task or partial(fails_elsewhere, os.getpid(), fate, _page(1)), 100)()
    assert result[:2] == ("here", os.getpid())
    assert bool(result[2]) == (fate == "cannot travel")


def test_a_page_that_a_task_read_gets_its_metadata_later() -> None:
    known = replace(_page(1, media_type=MediaType.HTML), content="<h1>Robots</h1><p>See <a href='/b'>it</a>.")
    early = replace(known, source="", source_hash="")
    later = replace(known, version="2.0", version_is_current=False, source_hash="hash", content="")
    assert read_page(replace(later, document=read_early(early, None))) == read_page(
        replace(later, content=known.content)
    )
