"""`assay validate --sweep`."""

import json

from rich.markup import escape

from assay.app import Assay
from assay.cli.terminal.output import err, out, print_json
from assay.cli.terminal.progress import progress
from assay.cli.terminal.sweep_text import show_sweep
from assay.contracts.comparisons import sweep_body
from assay.experiments import sweep
from assay.validation.report.files import write_reports
from assay.validation.report.sweep_page import to_html


def run_sweep(assay: Assay, grid: str, generation: str | None, *, write: bool, as_json: bool) -> None:
    """Run a sweep and show it. write: also write it as HTML and JSON to the folder of the reports."""
    found = sweep(assay, grid, generation=generation, progress=progress())
    files = {}
    if write:
        body = json.dumps(sweep_body(found), ensure_ascii=False, indent=2)
        contents = {
            "html": to_html(found).encode("utf-8", "replace"),
            "json": f"{body}\n".encode("utf-8", "replace"),
        }
        files = write_reports(assay.settings.validation.output_dir, found.started_at, contents, kind="sweep")
    if as_json:
        print_json(sweep_body(found) | {"files": {name: str(path) for name, path in files.items()}})
        return
    show_sweep(out(), found)
    if files:
        err().print(f"Report: {escape(str(files['html']))} (also as JSON)", soft_wrap=True)
