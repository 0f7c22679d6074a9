"""The reference pages that follow from the code. `make docs` writes them; a test holds the written ones to it."""

import json
from collections.abc import Iterator
from enum import Enum
from inspect import cleandoc
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from typer.core import TyperGroup

from assay.cli.main import command_line
from assay.contracts.validation_report import json_schema
from assay.settings import SEED_VARIABLES, Settings, SourceSettings

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"


def settings_page() -> str:
    """docs/settings.md."""
    lines = [
        "# Settings",
        "",
        "Settings come from four places, and a later one wins: the defaults below, `assay.toml` in the working",
        "directory (or `--config FILE`), the environment, flags. Paths in the file are relative to it. The variable",
        "of a setting is `ASSAY_` and its name in capitals, with two underscores after each table.",
        "",
        *_table("", Settings, "ASSAY_"),
    ]
    for name, field in Settings.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            lines += [f"## `[{name}]`", "", cleandoc(field.annotation.__doc__ or ""), ""]
            lines += _table(name, field.annotation, f"ASSAY_{name.upper()}__")
            for inner, table in _inner_tables(field.annotation):
                lines += [f"## `[{name}.{inner}]`", "", cleandoc(table.__doc__ or ""), ""]
                lines += _table(f"{name}.{inner}", table, f"ASSAY_{name.upper()}__{inner.upper()}__")
    lines += ["## `[[sources]]`", "", "One table for each source.", "", *_table("sources", SourceSettings, None)]
    lines += ["## Other variables", "", "| variable | setting |", "|---|---|"]
    lines += [f"| `{variable}` | `{'.'.join(path)}` |" for variable, path in SEED_VARIABLES.items()]
    return "\n".join(lines) + "\n"


def _inner_tables(model: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
    """Tables within a table."""
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield name, field.annotation


def cli_page() -> str:
    """docs/cli.md."""
    group = typer.main.get_command(command_line())
    assert isinstance(group, TyperGroup)
    lines = ["# Command line", "", *_EXIT_CODES, ""]
    for name, command in _commands(group):
        lines += [f"## `assay {name}`", "", (command.help or "").strip(), ""]
        lines += ["| option | meaning |", "|---|---|"]
        lines += [f"| {_spelling(parameter)} | {_cell(_meaning(parameter))} |" for parameter in command.params]
        lines.append("")
    return "\n".join(lines)


def _commands(group: TyperGroup, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every command by its full name, those of a group after one another."""
    for name, command in sorted(group.commands.items()):
        if isinstance(command, TyperGroup):
            yield from _commands(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


_EXIT_CODES = [
    "Results go to standard output, everything else to standard error. With `--json` the result is one JSON object,",
    "also when the command fails: `error` (a word for scripts), `message` (what happened), `hint` (what to do next).",
    "A candidate that does not pass is not an error: its report is printed. Only builds and `keys add` create the data",
    "directory.",
    "",
    "| exit code | meaning |",
    "|---|---|",
    "| 0 | done, or PASS |",
    "| 1 | FAIL: a check did not pass, or a promotion was refused |",
    "| 2 | wrong use or configuration |",
    "| 3 | INCONCLUSIVE, also of a promotion |",
    "| 4 | something outside cannot be reached or used: a site, store, catalog, embedder, a build's lock, output |",
    "| 5 | internal error |",
    "| 130, 143 | stopped by Ctrl-C, by SIGTERM; a build is abandoned, and the live generation stays live |",
    "| 141 | the reader of standard output has closed it |",
]


def _spelling(parameter: Any) -> str:  # noqa: ANN401 - typer does not export the class
    if parameter.param_type_name == "argument":
        return f"`{(parameter.name or '').upper()}`"
    return ", ".join(f"`{option}`" for option in [*parameter.opts, *parameter.secondary_opts])


def _meaning(parameter: Any) -> str:  # noqa: ANN401 - likewise
    return str(getattr(parameter, "help", "") or "")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _table(prefix: str, model: type[BaseModel], variables: str | None) -> Iterator[str]:
    yield "| setting | default | variable | meaning |" if variables else "| setting | default | meaning |"
    yield "|---|---|---|---|" if variables else "|---|---|---|"
    for name, field in model.model_fields.items():
        if field.description:
            variable = [f"`{variables}{name.upper()}`"] if variables else []
            cells = [f"`{prefix + '.' if prefix else ''}{name}`", _default(field), *variable, _cell(field.description)]
            yield f"| {' | '.join(cells)} |"
    yield ""


def _default(field: FieldInfo) -> str:
    value: Any = field.get_default(call_default_factory=True, validated_data={})
    if value is PydanticUndefined:
        return "required"
    if value is None:
        return "unset"
    if isinstance(value, Enum):
        value = value.value
    return f"`{list(value) if isinstance(value, tuple) else value}`"


def report_schema() -> str:
    """docs/report.schema.json."""
    return json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n"


PAGES = {"settings.md": settings_page, "cli.md": cli_page, "report.schema.json": report_schema}

if __name__ == "__main__":
    for page, render in PAGES.items():
        (DOCS / page).write_text(render(), encoding="utf-8")
