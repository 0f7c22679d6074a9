"""Files of a report, without which a verdict is told all the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.markup import escape

from assay.app import Assay
from assay.cli.failures import failure_of, tell
from assay.cli.terminal.output import err
from assay.cli.terminal.progress import progress
from assay.errors import ConfigurationError
from assay.model.evaluation import Outcome
from assay.model.validations import Validation

VERDICT_CODES = {Outcome.PASS: 0, Outcome.FAIL: 1, Outcome.INCONCLUSIVE: 3}


@dataclass(frozen=True, slots=True)
class Written:
    """The path of each file by its suffix, and why there are none."""

    files: Mapping[str, Path]
    problem: ConfigurationError | None = None

    @classmethod
    def of(cls, assay: Assay, validation: Validation) -> "Written":
        """Write the files; where that cannot be, say so later: what was found must not be lost with them."""
        try:
            return cls(assay.write_report(validation, progress()))
        except ConfigurationError as error:
            return cls({}, error)

    def as_body(self) -> dict[str, str]:
        """For a program."""
        return {name: str(path) for name, path in self.files.items()}

    def tell(self) -> None:
        """Where the page is, or why it is not there."""
        if self.problem is not None:
            tell(err(), self.problem, as_json=False)
        elif self.files:
            page = escape(str(self.files["html"]))
            err().print(f"Report: {page} (and beside it as JSON, Markdown and JUnit XML)", soft_wrap=True)

    def exit_with(self, outcome: Outcome) -> None:
        """End with the exit code of the verdict, or of files that could not be written where it is a PASS."""
        if outcome is not Outcome.PASS:
            raise typer.Exit(VERDICT_CODES[outcome])
        if self.problem is not None:
            raise typer.Exit(failure_of(self.problem).exit_code)


NOTHING_WRITTEN = Written({})
