"""A folder of docs gives each page the address that the built site says of itself, whichever folder is given."""

import re
import shutil
from pathlib import Path

import pytest
from tests.folders import pages, read
from tests.site_generators.kept import kept_pages
from tests.site_generators.manual import FOLDER

from assay.model.ids import canonical_url

CANONICAL = re.compile(r'rel="canonical" href="([^"]+)"')
MANUAL = {"install", "start", "tongues", "usage"}
NEXT = {f"https://larder.example/manual/docs/next/{name}" for name in MANUAL}
LAST = {f"https://larder.example/manual/docs/{name}" for name in MANUAL}
GERMAN = {"https://larder.example/manual/de/docs/start"}
MATERIAL = {f"https://larder.example/manual/{name}" for name in MANUAL}
BASES = [None, "https://larder.example", "https://larder.example/manual"]


def built(generator: str) -> set[str]:
    """The addresses that the built pages of a generator say are theirs."""
    found = [CANONICAL.search(page.html) for page in kept_pages() if page.name.startswith(f"{generator}/")]
    return {canonical_url(match[1]) for match in found if match}


@pytest.fixture
def site(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The repository of a generator's site, as its build makes it; two versions for Docusaurus."""
    root = tmp_path / "repository"
    shutil.copytree(FOLDER / request.param / "site", root)
    (root / ".git").mkdir()
    if request.param == "docusaurus":
        shutil.copytree(root / "docs", root / "versioned_docs" / "version-2.0")
        (root / "versions.json").write_text('["2.0"]')
    return root


def test_the_expected_addresses_are_those_of_the_built_pages() -> None:
    assert built("docusaurus") <= NEXT | LAST | GERMAN
    assert built("docusaurus") & NEXT
    assert built("docusaurus") & LAST
    assert built("docusaurus") & GERMAN
    assert built("material") == MATERIAL


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(
    ("site", "given", "expected"),
    [
        ("docusaurus", "", NEXT | LAST | GERMAN),
        ("docusaurus", "docs", NEXT),
        ("docusaurus", "versioned_docs", LAST),
        ("docusaurus", "versioned_docs/version-2.0", LAST),
        ("docusaurus", "i18n/de", GERMAN),
    ],
    indirect=["site"],
)
def test_docusaurus(site: Path, given: str, expected: set[str], base: str | None) -> None:
    found = pages(read(site / given, base)).values()
    assert {page.url for page in found} == expected
    assert any(page.primary for page in found)


@pytest.mark.parametrize("base", [None, "https://larder.example/manual"])
@pytest.mark.parametrize("given", ["", "docs"])
@pytest.mark.parametrize("site", ["material"], indirect=True)
def test_mkdocs(site: Path, given: str, base: str | None) -> None:
    assert {page.url for page in pages(read(site / given, base)).values()} == MATERIAL
