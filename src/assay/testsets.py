"""Files of labelled queries, read, written and changed: the files' adapters brought together with what they mean.

Nothing here needs settings, a catalog or an index.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.adapters.testset_files.editing import TestSetEditor
from assay.adapters.testset_files.loading import dump, form_of, load
from assay.adapters.testset_files.text_file import replace_file
from assay.errors import InputError
from assay.model.evaluation import Judgment, TestSet
from assay.model.located import Located
from assay.validation.testsets.keys import FREE_KEY, TEXT_KEYS
from assay.validation.testsets.plain import plain_judgment, to_plain
from assay.validation.testsets.reading import Reading, examine, read_test_set


def load_test_set(path: Path) -> TestSet:
    """The test set in a file. Raises InputError that names the lines, the keys and what was meant."""
    return read_test_set(_located(path), name_of(path))


def examine_test_set(path: Path) -> Reading:
    """What a test-set file holds, with all that is wrong with it or odd. Raises InputError where it cannot be read."""
    return examine(_located(path), name_of(path))


def name_of(path: Path) -> str:
    """What a test set is called whose file does not say: `handbook` for handbook.testset.yaml."""
    return path.name.removesuffix(path.suffix).removesuffix(".testset")


def text_of(test_set: TestSet, form: str, *, heading: str = "") -> str:
    """A test set as yaml, json or jsonl. heading: a comment for the beginning of YAML."""
    return dump(to_plain(test_set), form, heading=heading)


def save_test_set(path: Path, test_set: TestSet, *, heading: str = "", overwrite: bool = False) -> None:
    """Write a test set in the form that the file's name asks for, whole or not at all.

    heading: a comment for the beginning of a YAML file.

    Raises InputError for another name, for a file that is there unless it may be overwritten, or if it cannot be made.
    """
    form = form_of(path)
    if path.exists() and not overwrite:
        raise InputError(f"{path} is there already.", hint="Name another file, or say --force to replace it.")
    replace_file(path, text_of(test_set, form, heading=heading).encode("utf-8"))


def append_judgments(path: Path, topic_id: str, judgments: Sequence[Judgment]) -> None:
    """Add judgments to a topic of a test-set file, and leave every other byte of the file as it is.

    Raises InputError for a file that is no test set, has no such topic or cannot be added to; then it stays as it was.
    """
    topic = next((topic for topic in load_test_set(path).topics if topic.id == topic_id), None)
    inherited = topic.judgments if topic is not None else ()
    _editor(path).append(
        topic_id, [plain_judgment(one) for one in judgments], inherited=[plain_judgment(one) for one in inherited]
    )


def change_judgments(path: Path, topic_id: str, changes: Mapping[int, Judgment]) -> None:
    """Let judgments of a topic of a test-set file become others, and leave every other byte as it is.

    changes: the new judgment by its place among those that the file gives the topic, from 0. What the old one has and
        the new one leaves out stays.

    Raises InputError as append_judgments does.
    """
    load_test_set(path)
    _editor(path).change(topic_id, {number: plain_judgment(one) for number, one in changes.items()})


def _located(path: Path) -> Located:
    return load(path, text_keys=TEXT_KEYS, free_key=FREE_KEY)


def _editor(path: Path) -> TestSetEditor:
    return TestSetEditor(path, text_keys=TEXT_KEYS, free_key=FREE_KEY)
