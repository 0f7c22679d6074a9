"""Crawling a site full of traps: the result of each trap, and precision and recall over its URLs.

Run as `python -m benchmarks.traps`. The exit code is 1 unless both are 1.
"""

import logging
import sys
import tempfile
from pathlib import Path

from tests.site_traps import BESIDES, LIMITS, SCOPE, trap_site
from tests.sites import Site, failed, pages, reasons, served, source_of


def main() -> int:
    logging.getLogger("assay").setLevel(logging.ERROR)
    with served(Site()) as elsewhere, served(Site()) as site, tempfile.TemporaryDirectory() as folder:
        traps = trap_site(site, elsewhere.url)
        source = source_of(site.url, Path(folder) / "crawl.sqlite", limits=LIMITS, scope=SCOPE)
        items = list(source.read({}))
    came, why, broken = set(pages(items)), reasons(items), failed(items)
    print("| trap | must come | came | left out | failed | |\n|---|---:|---:|---:|---:|---|")
    for trap in traps:
        here = {path for path in came if path == trap.folder or path.startswith(trap.folder + "/")}
        left = [path for path in why if path == trap.folder or path.startswith(trap.folder + "/")]
        bad = sum(path in broken for path in left)
        verdict = "ok" if here == trap.expected else "WRONG"
        print(f"| {trap.name} | {len(trap.expected)} | {len(here)} | {len(left) - bad} | {bad} | {verdict} |")
    expected = {path for trap in traps for path in trap.expected} | BESIDES
    precision, recall = len(came & expected) / len(came), len(came & expected) / len(expected)
    print(f"\n{len(traps)} traps, {len(expected)} pages: precision {precision:.3f}, recall {recall:.3f}")
    print(f"requests to another server of this machine: {sum(elsewhere.asked.values())}")
    return 0 if precision == recall == 1.0 and not elsewhere.asked else 1


if __name__ == "__main__":
    sys.exit(main())
