"""Builds and checks while the program ends, when Python starts no more threads; searches still answer."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import atexit, sys, threading
from pathlib import Path
import assay
from assay.settings import load_settings

folder = Path(sys.argv[1])
settings = load_settings(None, {"data_dir": folder / "index", "sources": [{"path": folder / "pages"}]})
docs = assay.Assay.open(settings)
assert docs.publish().promoted


def at_the_end():
    for call in (lambda: docs.publish(rebuild=True), docs.builds.ingest, docs.validate):
        try:
            call()
        except assay.InputError as error:
            print("refused:", error)
    print(docs.search("gripper").hits[0].title)
    docs.close()


START
"""
STARTS = {
    "atexit": "atexit.register(at_the_end)",
    "thread": "threading.Thread(target=lambda: (threading.main_thread().join(), at_the_end())).start()",
}


@pytest.mark.parametrize("start", STARTS.values(), ids=list(STARTS))
def test_a_build_while_the_program_ends_is_refused_with_the_reason(tmp_path: Path, start: str) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "gripper.md").write_text("# Gripper\n\nThe gripper holds a part.\n", encoding="utf-8")
    program = [sys.executable, "-c", PROGRAM.replace("START", start), str(tmp_path)]
    ran = subprocess.run(program, capture_output=True, text=True, check=True, timeout=200)
    *refused, found = ran.stdout.splitlines()
    assert len(refused) == 3
    assert all(line.startswith("refused: Nothing can be built or checked now") for line in refused)
    assert all("not in an atexit handler" in line for line in refused)
    assert found == "Gripper"
    assert "Traceback" not in ran.stderr
