"""Ingestion of the real corpora: pages, chunks, sizes, time by stage, and common faults of chunks.

Run as `python -m benchmarks.corpora [NAME…]`.
"""

import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from time import perf_counter

from assay.app import Assay
from assay.model.documents import Chunk
from assay.settings import load_settings
from benchmarks.shared import shared_folder

CORPORA = {
    "redux-toolkit": "http://127.0.0.1:3111",
    "fastapi": "https://fastapi.tiangolo.com",
    "react-native": "https://reactnative.dev",
}
"""Each corpus with the URL of its site."""

_FENCE = re.compile(r"^\s*(?:[-*+]\s+|\d+[.)]\s+|>\s*)*(`{3,}|~{3,})")
_CLOSING = re.compile(r"^[\s>]*(`{3,}|~{3,})\s*$")
_MDX_IMPORT = re.compile(r"^(?:import\s.+\sfrom\s+['\"]|import\s+['\"]|export\s+(?:default|const|function)\b)")
_JSX = re.compile(r"</?[A-Z]\w*(?:\s[^<>]*)?/?>")
_INLINE_CODE = re.compile(r"(`+)(?:(?!\1).)+?\1")


@dataclass(frozen=True, slots=True)
class ChunkFaults:
    """Number of chunks with each fault."""

    broken_fence: int
    over_long: int
    heading_only: int
    mdx_import: int
    jsx: int


@dataclass(slots=True)
class FenceState:
    """Whether the current line is in a code fence. fence: the opening fence; "" outside."""

    fence: str = ""

    def step(self, line: str) -> bool:
        """Process the next line; return whether it is code, or opens or closes a fence."""
        if self.fence:
            closing = _CLOSING.match(line)
            if closing and closing[1].startswith(self.fence):
                self.fence = ""
            return True
        opening = _FENCE.match(line)
        self.fence = opening[1] if opening else ""
        return bool(opening)


def prose_lines(text: str) -> Iterator[str]:
    """The lines of a chunk outside its code fences, without inline code."""
    state = FenceState()
    return (_INLINE_CODE.sub("", line) for line in text.split("\n") if not state.step(line))


def fence_is_open(text: str) -> bool:
    """Whether the text has an unclosed code fence, or a closing fence without an opening one."""
    state = FenceState()
    for line in text.split("\n"):
        state.step(line)
    return bool(state.fence)


def chunk_faults(chunks: Sequence[Chunk]) -> ChunkFaults:
    """Count the chunks with each fault."""
    return ChunkFaults(
        broken_fence=sum(fence_is_open(chunk.text) for chunk in chunks),
        over_long=sum(len(chunk.text) > 2_000 for chunk in chunks),
        heading_only=sum(all(line.startswith("#") or not line for line in chunk.text.split("\n")) for chunk in chunks),
        mdx_import=sum(any(_MDX_IMPORT.match(line) for line in prose_lines(chunk.text)) for chunk in chunks),
        jsx=sum(any(_JSX.search(line) for line in prose_lines(chunk.text)) for chunk in chunks),
    )


def source_code_lines(folder: Path) -> list[str]:
    """Every line of code in the fences of a folder's Markdown, stripped, without highlighting comments."""
    lines = []
    for path in sorted([*folder.rglob("*.md"), *folder.rglob("*.mdx")]):
        if any(part.startswith("_") for part in path.relative_to(folder).parts):
            continue
        state = FenceState()
        for line in path.read_text(encoding="utf-8").split("\n"):
            inside = bool(state.fence)
            state.step(line)
            if inside and state.fence and line.strip(" >") and "highlight-" not in line:
                lines.append(line.strip())
    return lines


def run(name: str, folder: Path) -> None:
    """Publish a corpus twice and print the results."""
    with tempfile.TemporaryDirectory() as work:
        source = {"path": folder, "base_url": CORPORA[name], "name": name}
        settings = load_settings(None, {"data_dir": Path(work), "sources": [source], "gate": {"max_unreachable": 1.0}})
        started = perf_counter()
        with Assay.open(settings) as assay:
            first = assay.publish()
            first_seconds = perf_counter() - started
            chunks = list(assay.parts.catalog.chunks(first.build.generation.id))
        started = perf_counter()
        with Assay.open(settings) as assay:
            second = assay.publish()
        second_seconds = perf_counter() - started
    build = first.build
    pages = build.generation.documents
    read = build.seconds["read"]
    print(f"\n## {name}\n")
    print(f"pages {pages}, failed {len(build.failed)}, left out {len(build.excluded)}, chunks {len(chunks)}")
    stages = ", ".join(f"{stage} {seconds:.2f}" for stage, seconds in build.seconds.items())
    print(f"seconds: {stages}; publish with gate {first_seconds:.2f}; read and cut {pages / read:.0f} pages/s")
    print(f"embedded {build.embedded}, reused within the build {build.reused}")
    print(
        f"second publish: {second_seconds:.2f} s, embedded {second.build.embedded}, "
        f"ratio to the first {second_seconds / first_seconds:.3f}"
    )
    sizes = sorted(len(chunk.text) for chunk in chunks)
    cuts = [round(cut) for cut in quantiles(sizes, n=20)]
    print(
        f"characters: min {sizes[0]}, p5 {cuts[0]}, p25 {cuts[4]}, p50 {cuts[9]}, p75 {cuts[14]}, p95 {cuts[18]}, "
        f"max {sizes[-1]}"
    )
    print(chunk_faults(chunks))
    wanted = source_code_lines(folder)
    kept = {line.strip() for chunk in chunks for line in chunk.text.split("\n")}
    print(f"code lines kept: {sum(line in kept for line in wanted) / len(wanted):.2%} of {len(wanted)}")
    if first.verdict:
        print(first.verdict.summary)


def main(names: Sequence[str]) -> None:
    """Run the named corpora, or all."""
    shared = shared_folder()
    if shared is None:
        return
    for name in names or CORPORA:
        run(name, shared / "corpora" / name)


if __name__ == "__main__":
    main(sys.argv[1:])
