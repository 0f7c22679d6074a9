"""Milliseconds from the last key to the results on the screen, on the search page in Chromium.

Run as `python -m benchmarks.search_page DATA_DIR [QUERIES]`: it serves the live generation of DATA_DIR on loopback, and
types titles of its pages (100 by default), each in a new search, with 60 ms between the keys.
"""

import random
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from playwright.sync_api import sync_playwright
from tests.browsing import chromium_path

from assay.app import Assay
from assay.settings import load_settings

_SEED = 20_261_129
_PAUSE_MS = 60
_WATCH = """() => {
  const search = document.querySelector("assay-search");
  window.shown = {};
  let typed = 0;
  search.shadowRoot.querySelector("input").addEventListener("input", (event) => (typed = event.timeStamp));
  search.addEventListener("assay-answer", ({ detail }) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => (window.shown[detail.query] = performance.now() - typed);
    requestAnimationFrame(() => port2.postMessage(0)); // the message comes after the frame was painted
  });
}"""


def titles(data_dir: str, number: int) -> list[str]:
    """Titles of pages of the live generation, drawn with a fixed seed."""
    with Assay.open(load_settings(None, {"data_dir": data_dir})) as assay:
        live = assay.parts.catalog.live_id()
        if live is None:
            sys.exit(f"{data_dir} has no live generation.")
        texts = sorted({page.info.title for page in assay.parts.catalog.listing(live)})
    fitting = [text for text in texts if 8 <= len(text) <= 40]
    return random.Random(_SEED).sample(fitting, min(number, len(fitting)))


@contextmanager
def served(data_dir: str) -> Iterator[str]:
    """The URL of a server process over the data directory."""
    command = [sys.executable, "-m", "assay", "serve", "--port", "0", "--data-dir", data_dir]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        try:
            yield f"{found[0]}/" if found else sys.exit("The server did not start.")
        finally:
            process.terminate()


def measure(url: str, queries: Sequence[str]) -> list[float]:
    """Milliseconds from the last key of each query until its results are painted."""
    found = []
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=chromium_path()).new_page()
        page.goto(url)
        page.evaluate(_WATCH)
        box = page.get_by_role("combobox")
        for query in queries:
            box.fill("")
            box.press_sequentially(query, delay=_PAUSE_MS)
            page.wait_for_function("query => query in window.shown", arg=query)
            found.append(float(page.evaluate("query => window.shown[query]", query)))
    return found


def main() -> None:
    """Print the percentiles."""
    data_dir, number = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
    queries = titles(data_dir, number)
    with served(data_dir) as url:
        measure(url, queries[:5])
        times = measure(url, queries)
    p50, p95 = np.percentile(times, [50, 95])
    print(f"{len(times)} queries: p50 {p50:.0f} ms, p95 {p95:.0f} ms, longest {max(times):.0f} ms")


if __name__ == "__main__":
    main()
