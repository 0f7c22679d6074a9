"""Whatever happens to a site and to the builds of it: in the end an incremental publish equals a fresh build."""

import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.changing_site import ChangingSite, served
from tests.examples import examples
from tests.forking import fork

from assay.app import Assay
from assay.model.generations import State
from assay.ports import Silence
from assay.settings import load_settings

PARTS = ("gripper", "camera", "battery", "wheel", "motor", "sensor")
_STAGES = ("read", "count", "embed", "seal")

Step = tuple[str, str, int]

part = st.sampled_from(PARTS)
step = st.one_of(
    st.tuples(st.just("write"), part, st.integers(0, 9)),
    st.tuples(st.just("remove"), part, st.sampled_from([404, 410])),
    st.tuples(st.just("rename"), part, st.integers(0, 2)),
    st.tuples(st.just("fail"), part, st.sampled_from([500, 503, 403])),
    st.tuples(st.just("heal"), part, st.just(0)),
    st.tuples(st.just("validators"), part, st.integers(0, 1)),
    st.tuples(st.just("sitemap"), part, st.integers(0, 1)),
    st.tuples(st.just("kill"), part, st.integers(1, 12)),
)
steps = st.lists(step, min_size=3, max_size=9)


@dataclass(frozen=True, slots=True)
class _Content:
    """All that a generation answers with: each chunk, and its vector's bytes."""

    chunks: list[tuple[str, str, str, int, str | None, str | None]]
    vectors: dict[str, bytes]


def _options(site: ChangingSite, data: Path) -> dict[str, object]:
    source = {"url": f"{site.url}/", "name": "workshop", "retries": 0}
    gate = {"max_failed_pages": 1.0, "max_page_fall": 1.0}
    return {"data_dir": data, "sources": [source], "gate": gate, "ingest": {"workers": 1}}


@contextmanager
def _open(site: ChangingSite, data: Path) -> Iterator[Assay]:
    with Assay.open(load_settings(None, _options(site, data))) as assay:
        yield assay


def _content(assay: Assay) -> _Content:
    live = assay.parts.catalog.live_id()
    assert live
    chunks = list(assay.parts.catalog.chunks(live))
    with assay.searches.live.lease() as searcher:
        vectors = searcher.index.vectors([chunk.id for chunk in chunks])
    rows = [(chunk.document.url, chunk.id, chunk.text, chunk.position, chunk.anchor, chunk.next_id) for chunk in chunks]
    return _Content(sorted(rows), {key: vector.tobytes() for key, vector in vectors.items()})


def _change(site: ChangingSite, kind: str, part: str, number: int) -> None:
    path = f"/docs/{part}"
    match kind:
        case "write":
            site.failing.pop(path, None)
            site.moved.pop(path, None)
            site.write(path, f"The {part}", f"The {part} is checked every {number} days.")
        case "remove":
            site.pages.pop(path, None)
            site.failing.pop(path, None)
            if number == 410:
                site.failing[path] = 410
        case "rename" if path in site.pages and path not in site.failing:
            site.moved[path] = f"{path}-{number}"
            site.moved.pop(f"{path}-{number}", None)
            site.pages[f"{path}-{number}"] = site.pages.pop(path)
        case "fail" if path in site.pages:
            site.failing[path] = number
        case "heal":
            site.failing = {path: status for path, status in site.failing.items() if status == 410}
        case "validators":
            site.has_validators = bool(number)
        case "sitemap":
            site.has_sitemap = bool(number)
        case _:
            pass


class _Stages(Silence):
    """Dies when a stage of the build begins."""

    def __init__(self, last: str) -> None:
        self._last = last

    def begin(self, stage: str, total: int | None) -> None:
        if stage == self._last:
            os.kill(os.getpid(), signal.SIGKILL)


def _publish_until(options: dict[str, object], last: str) -> None:
    with Assay.open(load_settings(None, options)) as assay:
        assay.publish(progress=_Stages(last))


def _publish_and_kill(site: ChangingSite, data: Path, number: int) -> None:
    """Publish in a process of its own and kill it: at a request, or at a stage of the build."""
    at_request = number <= len(PARTS) + 2
    last = "" if at_request else _STAGES[number % len(_STAGES)]
    process = fork(_publish_until, _options(site, data), last)
    if at_request:
        first = site.requests + number

        def strike(request: int) -> None:
            if request == first and process.pid is not None:
                os.kill(process.pid, signal.SIGKILL)

        site.on_request = strike
    process.join(60)
    site.on_request = None


@settings(max_examples=examples(5), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps)
def test_after_any_changes_failures_and_kills_a_publish_equals_a_fresh_build(steps: list[Step]) -> None:
    site = ChangingSite()
    for part in PARTS:
        site.write(f"/docs/{part}", f"The {part}", f"The {part} is checked every {len(part)} days.")
    with tempfile.TemporaryDirectory() as folder, served(site):
        data = Path(folder) / "data"
        for kind, part, number in steps:
            if kind == "kill":
                _publish_and_kill(site, data, number)
                continue
            _change(site, kind, part, number)
            with _open(site, data) as assay:
                assay.publish()
        _change(site, "heal", "", 0)
        with _open(site, data) as assay:
            assay.publish()
            incremental = _content(assay)
            assert not [one for one in assay.generations() if one.state is State.BUILDING]
        with _open(site, Path(folder) / "fresh") as assay:
            assay.publish()
            fresh = _content(assay)
    assert incremental.chunks == fresh.chunks
    assert incremental.vectors == fresh.vectors
