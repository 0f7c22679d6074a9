"""The files of a validation report; a command still shows the verdict if they cannot be written."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.markup import escape

from assay.app import Assay
from assay.cli.failures import failure_of, show_error
from assay.cli.terminal.output import err
from assay.cli.terminal.progress import progress
from assay.errors import FileUnwritable
from assay.model.evaluation import Outcome
from assay.model.validations import Validation

VERDICT_CODES = {Outcome.PASS: 0, Outcome.FAIL: 1, Outcome.INCONCLUSIVE: 3}


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """The path of each file by its suffix.

    problem: the error that kept the files from being written; None without one.
    """

    paths: Mapping[str, Path]
    problem: FileUnwritable | None = None

    @classmethod
    def write(cls, assay: Assay, validation: Validation) -> "ReportFiles":
        """Write the files. Keeps the error instead of raising it, so that the verdict is shown first."""
        try:
            return cls(assay.write_report(validation, progress()))
        except FileUnwritable as error:
            return cls({}, error)

    def as_body(self) -> dict[str, str]:
        """The paths as JSON."""
        return {name: str(path) for name, path in self.paths.items()}

    def show(self) -> None:
        """Print the path of the HTML page, or the error."""
        if self.problem is not None:
            show_error(err(), self.problem, as_json=False)
        elif self.paths:
            page = escape(str(self.paths["html"]))
            err().print(f"Report: {page} (also as JSON, Markdown and JUnit XML)", soft_wrap=True)

    def exit_with(self, outcome: Outcome) -> None:
        """Exit with the code of the verdict; after a PASS, with the code of the error, if any."""
        if outcome is not Outcome.PASS:
            raise typer.Exit(VERDICT_CODES[outcome])
        if self.problem is not None:
            raise typer.Exit(failure_of(self.problem).exit_code)


NO_FILES = ReportFiles({})
