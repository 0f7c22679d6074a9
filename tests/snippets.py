"""The code blocks of the pages."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A fenced block. line: its first line in the page. language: empty if it names none."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """What follows `assay` in each command line, without prompts, comments, pipes and variables before it."""
        found = []
        for line in re.sub(r"\\\n", " ", self.text).splitlines():
            one = re.sub(r"\s#.*", "", re.sub(r"^\$ ", "", line.strip()))
            for part in re.split(r" && | \|\| | \| |; |<\(|\(", one):
                command = re.match(r"(?:[A-Z_]+=\S+ )*(?:\S*/)?assay (.+?)(?: 2?>.*)?$", part.strip().rstrip(")"))
                if command:
                    found.append(command[1])
        return found


def snippets() -> list[Snippet]:
    """All fenced blocks of README, CONTRIBUTING and the pages of docs/."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in re.finditer(r"^ *```(\w*)\n(.*?)^ *```", text, flags=re.MULTILINE | re.DOTALL):
            line = text.count("\n", 0, block.start()) + 1
            found.append(Snippet(page.name, line, block[1], block[2]))
    return found
