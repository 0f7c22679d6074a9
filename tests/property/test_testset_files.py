"""What holds for every test set: each form of file gives back what was written."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from tests.testset_samples import HALF, labelled_sets, read_file, written

from assay.adapters.testset_files.loading import dump
from assay.model.evaluation import TestSet
from assay.validation.testsets.plain import to_plain


@pytest.mark.parametrize("form", ["yaml", "json", "jsonl"])
@HALF
@given(test_set=labelled_sets())
def test_what_is_written_reads_back_equal(form: str, test_set: TestSet) -> None:
    with TemporaryDirectory() as folder:
        path = written(Path(folder), dump(to_plain(test_set), form, heading="a comment\n\nof two lines"), f"set.{form}")
        assert read_file(path) == test_set
