"""`assay testset import` and `assay testset export`: conversion from and to the formats of other tools."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from assay.app import Assay
from assay.app.testsets import (
    SUFFIXES,
    Format,
    ResolvedExport,
    export_test_set,
    import_test_set,
    load_test_set,
    save_test_set,
    text_of,
)
from assay.cli import options
from assay.cli.terminal.output import err, out, print_json
from assay.errors import InputError
from assay.model.counting import counted
from assay.model.evaluation import TestSet
from assay.validation.testsets.plain import to_plain


class ExportFormat(StrEnum):
    """The formats of Format that can be written."""

    TREC = "trec"
    BEIR = "beir"
    CSV = "csv"


def import_files(
    paths: Annotated[
        list[Path],
        typer.Argument(help="TREC topics and qrels, a BEIR folder, a CSV table, or the JSON of another suite."),
    ],
    format_: Annotated[
        Format | None, typer.Option("--format", help="Format of the files [default: detected from their names].")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write: .yaml, .json or .jsonl [default: print YAML].")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="Name of the test set [default: the file's name].")] = None,
    split: Annotated[str, typer.Option("--split", help="Split of a BEIR folder to import: qrels/SPLIT.tsv.")] = "test",
    map_label: Annotated[
        list[str] | None,
        typer.Option(
            "--map-label", help="GRADE=LABEL: the label for a grade of another scale, such as 3=2; repeatable."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    as_json: options.Json = False,
) -> None:
    """Convert the labelled queries of another tool to a test set, keeping every id."""
    test_set, left_out = import_test_set(paths, format_, name=name, split=split, grades=_grades(map_label or []))
    if output is not None:
        save_test_set(output, test_set, overwrite=force)
    if as_json:
        body = _body(test_set, output, left_out)
        print_json(body | {"test_set": None if output else to_plain(test_set)})
        return
    if output is None:
        out().print(text_of(test_set, "yaml"), markup=False, soft_wrap=True, end="")
    _summarize(test_set, left_out, f" in {output}" if output else "")


def export_file(
    file: options.TestSetArgument,
    target: Annotated[Path, typer.Argument(help="A new folder for trec and beir; a new file for every other format.")],
    format_: Annotated[
        ExportFormat | None,
        typer.Option("--format", help="Format to write [default: detected from the target's name]."),
    ] = None,
    generation: Annotated[
        str | None,
        typer.Option(
            "--generation",
            help="Export labels for the chunks of this generation (an id, `live` or `candidate`); for BEIR, also the "
            "chunks.",
        ),
    ] = None,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Export a test set for another tool, and list what its format cannot hold."""
    test_set = load_test_set(file)
    missing = 0
    if format_ is None and target.suffix.lower() in SUFFIXES:
        if generation is not None:
            raise typer.BadParameter("--generation needs --format trec or beir.")
        save_test_set(target, test_set)
        left_out: Sequence[str] = ()
    else:
        left_out, missing = _export(test_set, target, _format(target, format_), generation, data_dir, config)
    if as_json:
        print_json(_body(test_set, target, left_out, missing))
    else:
        _summarize(test_set, left_out, f" in {target}", missing)


def _export(
    test_set: TestSet,
    target: Path,
    format_: Format,
    generation: str | None,
    data_dir: Path | None,
    config: Path | None,
) -> tuple[Sequence[str], int]:
    """Export, and return what is left out, and the number of judgments whose passage is not found."""
    if generation is None:
        return export_test_set(test_set, target, format_), 0
    with Assay.open(options.settings_from(config, data_dir)) as assay:
        found, topics = assay.labels.resolve(test_set, generation)
        resolutions = [one for topic in topics for one in topic.resolutions]
        missing = sum(not one.anchoring.scores for one in resolutions)
        if resolutions and missing == len(resolutions):
            raise InputError(
                f"No judgment of the test set ({missing:,}) is found in generation {found}: nothing is exported.",
                hint="Use the test set of this index, or omit --generation to export the judgments as they are.",
            )
        catalog = assay.parts.catalog
        chunks = catalog.chunks(found) if format_ is Format.BEIR else ()
        hashes = {one.info.url: one.text_hash for one in catalog.listing(found)} if format_ is Format.BEIR else {}
        labels = {one.topic.id: one.labels_of_all for one in topics}
        lost = export_test_set(test_set, target, format_, ResolvedExport(labels, chunks, hashes))
    if missing:
        lost = (*lost, f"{counted(missing, 'judgment')} not found in generation {found}")
    return lost, missing


def _format(target: Path, format_: ExportFormat | None) -> Format:
    if format_ is not None:
        return Format(format_.value)
    if target.suffix.lower() == ".csv":
        return Format.CSV
    raise typer.BadParameter(f"{target}: unknown format; add --format trec or --format beir.")


def _grades(pairs: Sequence[str]) -> dict[int, int]:
    grades = {}
    for pair in pairs:
        grade, equals, label = pair.partition("=")
        if not equals or not grade.strip().lstrip("-").isdecimal() or label.strip() not in {"0", "1", "2"}:
            raise typer.BadParameter(f"--map-label must be GRADE=LABEL with a label of 0, 1 or 2, not {pair}.")
        grades[int(grade)] = int(label)
    return grades


def _summarize(test_set: TestSet, left_out: Sequence[str], where: str, missing: int = 0) -> None:
    """Print the numbers of topics and judgments. missing: number of judgments that were not written."""
    judgments = sum(len(topic.judgments) for topic in test_set.topics) - missing
    topics = counted(len(test_set.topics), "topic")
    err().print(f"{topics} with {counted(judgments, 'judgment')}{escape(where)}.")
    for sentence in left_out:
        err().print(f"[yellow]Left out:[/] {escape(sentence)}.")


def _body(test_set: TestSet, output: Path | None, left_out: Sequence[str], missing: int = 0) -> dict[str, object]:
    return {
        "name": test_set.name,
        "topics": len(test_set.topics),
        "judgments": sum(len(topic.judgments) for topic in test_set.topics) - missing,
        "fingerprint": test_set.fingerprint,
        "output": str(output) if output else None,
        "left_out": list(left_out),
    }
