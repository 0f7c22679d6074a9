"""The files of the search page and of `<assay-search>`."""

import gzip
import re
from collections.abc import Iterator

from assay.web.page.files import static_files

FILES = static_files()
LIMIT = 15_000
"""Bytes of everything that <assay-search> loads, as gzip."""


def imported(name: str) -> Iterator[str]:
    """The modules that a module imports, and itself."""
    yield name
    for each in re.findall(rb'from "\./([\w.-]+)"|import[ (]"\./([\w.-]+)"', FILES.by_name[name].content):
        yield from imported(next(filter(None, each)).decode())


def test_everything_that_a_search_box_loads_is_small() -> None:
    modules = set(imported("element.js"))
    assert {"client.js", "combobox.js", "styles.js"} <= modules
    size = len(FILES.loader.compressed) + sum(len(FILES.by_name[name].compressed) for name in modules)
    assert size <= LIMIT


def test_every_file_is_used_by_a_page() -> None:
    modules = {*imported("page.js"), *imported("operators.js")}
    assert modules | {"page.css", "operators.css", "icon.svg"} == set(FILES.by_name)


def test_the_search_page_loads_nothing_that_only_operators_need() -> None:
    assert set(imported("page.js")) & set(imported("operators.js")) == {"dom.js"}


def test_a_file_is_compressed_without_loss_and_named_by_its_content() -> None:
    for file in (*FILES.by_name.values(), FILES.loader):
        assert gzip.decompress(file.compressed) == file.content
    assert len({file.etag for file in FILES.by_name.values()}) == len(FILES.by_name)


def test_the_loader_names_the_version_of_the_modules_that_it_loads() -> None:
    assert re.findall(rb"page/(\w+)/element\.js", FILES.loader.content) == [FILES.digest.encode()] * 2


def test_scripts_are_sent_without_comments_and_with_the_lines_of_their_source() -> None:
    from importlib.resources import files

    folder = files("assay.web.page") / "static"
    for name in ("client.js", "results.js"):
        source, sent = (folder / name).read_text(encoding="utf-8"), FILES.by_name[name].content.decode()
        assert "/**" in source
        assert "/**" not in sent
        assert source.count("\n") == sent.count("\n")
        assert all(line in source for line in sent.splitlines())


def test_no_file_runs_text_as_code_or_markup_or_names_another_host() -> None:
    for name, file in FILES.by_name.items():
        text = file.content.decode()
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", text), name
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), name
