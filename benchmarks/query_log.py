"""From a log of 2,000 generated queries to a labelled test set and a verdict, by commands; and what logging costs.

Run as `python -m benchmarks.query_log [QUERIES]` (2,000 by default). Seeded readers search the handbook of the examples
at `assay serve --workers 2`: they ask its labelled queries in several forms, type some of them key by key, ask for what
is not there, mistype, give personal data away, and open the first good result. Then it runs the commands of
docs/queries.md, and labels with the judgments of the handbook. At last it searches with the log and without it, and
prints the CPU time of both.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time, sleep

import httpx
from starlette.testclient import TestClient

from assay.adapters.query_log.redaction import grouping_key
from assay.app import Assay, shipped_folder
from assay.app.testsets import load_test_set
from assay.model.evaluation import TestSet
from assay.settings import load_settings
from assay.web.application import create_app

BASE_URL = "https://handbook.example"
NO_ANSWER = ("sourdough starter hydration", "mortgage refinancing rates", "tomato blight treatment")
PRIVATE = ("write to ada.lovelace@example.org", "call +44 20 7946 0958 now", "token=ghp_0123456789abcdefghij")
_CLICKING = 0.7
_EXPORTED = 40
_COST_ROUNDS, _COST_SEARCHES = 6, 300

Post = Callable[[str, Mapping[str, object]], Mapping[str, object]]
"""Sends a JSON body to a path, and returns the answer."""

Labels = Mapping[str, Mapping[str, int]]
"""By the key of a query (grouping_key), the label of each chunk by its id; unlisted chunks have 0."""


@dataclass(frozen=True, slots=True)
class Reader:
    """One reader's search. typed: the states of the box before the last one. clicks: whether a good hit is opened."""

    text: str
    typed: tuple[str, ...]
    clicks: bool


def write_folder(folder: Path) -> Path:
    """Write assay.toml over the handbook of the examples, with the log on; returns the folder."""
    docs = shipped_folder("examples") / "handbook"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "assay.toml").write_text(
        f"[[sources]]\npath = {json.dumps(str(docs))}\nname = 'handbook'\nbase_url = '{BASE_URL}'\n"
        "[queries]\nlog = true\n",
        encoding="utf-8",
    )
    return folder


def opened(folder: Path, **tables: object) -> Assay:
    """Assay over the folder."""
    return Assay.open(load_settings(folder / "assay.toml", {"data_dir": folder / ".assay", **tables}))


def handbook() -> TestSet:
    """The labelled queries of the handbook."""
    return load_test_set(shipped_folder("examples") / "handbook.testset.yaml")


def readers(texts: Sequence[str], number: int, seed: int = 7) -> Iterator[Reader]:
    """That many searches of these texts, the first ones most often, in the forms in which people ask."""
    dice = random.Random(seed)
    weights = [1 / (place + 2) for place in range(len(texts))]
    for _ in range(number):
        chance = dice.random()
        text = dice.choices(texts, weights)[0]
        if chance < 0.05:
            text = dice.choice(NO_ANSWER)
        elif chance < 0.08:
            text = dice.choice(PRIVATE)
        else:
            text = dice.choice([text, text.lower(), text.rstrip("?"), f"  {text}"])
        typed = tuple(text[:end] for end in range(4, len(text), 4)) if dice.random() < 0.1 else ()
        yield Reader(text, typed, clicks=dice.random() < _CLICKING)


def judged_chunks(assay: Assay) -> Labels:
    """The labels of the handbook's judgments on the chunks of the live generation."""
    _, topics = assay.labels.resolve(handbook())
    return {grouping_key(one.topic.text): one.labels_of_all for one in topics}


def search(reader: Reader, labels: Labels, post: Post) -> None:
    """Search as a box does, and open the first relevant hit."""
    for text in reader.typed:
        post("/v1/search", {"query": text, "typing": True, "clicks": True})
    answer = post("/v1/search", {"query": reader.text, "typing": bool(reader.typed), "clicks": True})
    known = labels.get(grouping_key(reader.text.strip()), {})
    results = answer["results"]
    assert isinstance(results, list)
    good = next((hit["chunk_id"] for hit in results if known.get(hit["chunk_id"])), None)
    if good and reader.clicks:
        post("/v1/clicks", {"query_id": answer["query_id"], "chunk_id": good})


def keys_for(waiting: Sequence[Mapping[str, str]], labels: Labels) -> str:
    """The keys that label these hits of `assay label --json` as the handbook's judgments do."""
    return "".join(str(labels.get(grouping_key(hit["query"]), {}).get(hit["chunk_id"], 0)) for hit in waiting)


def main(number: int) -> None:
    """Run everything, and print what was typed and what came."""
    with tempfile.TemporaryDirectory(prefix="assay-queries-") as scratch:
        folder = write_folder(Path(scratch))
        _typed(folder, "publish", "--no-testset")
        with opened(folder) as assay:
            labels = judged_chunks(assay)
        texts = [topic.text for topic in handbook().topics if topic.text.strip() and topic.expects_answer]
        with _server(folder) as url, httpx.Client(base_url=url, timeout=60) as client:
            sent = 0
            for client_number, reader in enumerate(readers(texts, number)):
                agent = {"User-Agent": f"reader {client_number}"}  # as many browsers as searches
                search(
                    reader, labels, lambda path, body, agent=agent: client.post(path, json=body, headers=agent).json()
                )
                sent += 1 + len(reader.typed)
            sleep(2.5)  # the log is written once a second
            metrics = client.get("/metrics").text
        print(f"{number:,} queries in {sent:,} searches:")
        print("\n".join(re.findall(r"^assay_query_log_events_total\{.*", metrics, re.MULTILINE)))
        for name in ("top", "no-results", "no-clicks"):
            _typed(folder, "queries", name, "--limit", "5")
        print(f"queries.sqlite has {(folder / '.assay' / 'queries.sqlite').stat().st_size:,} bytes")
        _typed(folder, "queries", "export", "readers.testset.yaml", "--limit", str(_EXPORTED))
        waiting = json.loads(_typed(folder, "label", "--testset", "readers.testset.yaml", "--json", shown=False))
        _typed(folder, "validate", "--testset", "readers.testset.yaml")
        keys = keys_for(waiting["to_label"], labels)
        _typed(folder, "label", "--testset", "readers.testset.yaml", keys=keys, shown=False)
        print(f"{len(keys)} hits labelled")
        _typed(folder, "validate", "--testset", "readers.testset.yaml")
        _print_costs(folder, texts)


def _typed(folder: Path, *arguments: str, keys: str = "", shown: bool = True) -> str:
    """Run a command in the folder, and print it with its output."""
    command = [sys.executable, "-m", "assay", *arguments]
    done = subprocess.run(command, cwd=folder, input=keys, capture_output=True, text=True, check=False)
    print(f"$ assay {' '.join(arguments)}")
    if shown or done.returncode not in {0, 1, 3}:
        print(f"{done.stdout}{done.stderr}[exit code {done.returncode}]\n")
    return done.stdout


@contextmanager
def _server(folder: Path) -> Iterator[str]:
    """`assay serve` with two workers; its URL."""
    command = [sys.executable, "-m", "assay", "serve", "--port", "0", "--workers", "2"]
    environment = {**os.environ, "ASSAY_SERVER__RATE_LIMIT": "off"}
    with (
        (folder / "server.log").open("w") as log,
        subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=log, text=True, env=environment) as server,
    ):
        assert server.stdout
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found, (folder / "server.log").read_text()
        try:
            yield found[0]
        finally:
            server.terminate()


def _print_costs(folder: Path, texts: Sequence[str]) -> None:
    """CPU time of a search over HTTP in this process, with the log and without it, in turn; the writer's included."""
    spent: dict[bool, list[float]] = {False: [], True: []}
    for round_ in range(_COST_ROUNDS):
        for log in (False, True) if round_ % 2 else (True, False):
            with opened(folder, queries={"log": log}) as assay:
                assay.searches.start_serving()
                with TestClient(create_app(assay)) as client:
                    _search_often(client, texts)
                    began = process_time()
                    _search_often(client, texts)
                    spent[log].append((process_time() - began) / _COST_SEARCHES * 1000.0)
    without, with_log = (median(spent[log]) for log in (False, True))
    print(
        f"CPU time of a search, client included, median of {_COST_ROUNDS} rounds of {_COST_SEARCHES}: {without:.3f} ms "
        f"without the log, {with_log:.3f} ms with it and its writer."
    )


def _search_often(client: TestClient, texts: Sequence[str]) -> None:
    for place in range(_COST_SEARCHES):
        client.post("/v1/search", json={"query": texts[place % len(texts)], "clicks": True})
    sleep(2.0)  # the log is written once a second


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
