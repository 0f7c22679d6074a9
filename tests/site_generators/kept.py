"""The kept pages of the generators, each with what is expected of it."""

from dataclasses import dataclass

from assay.ingest.reading import read_page
from assay.model.documents import Document, MediaType, RawPage
from tests.site_generators.manual import FOLDER


@dataclass(frozen=True)
class KeptPage:
    """A page as a generator made it. name: `vitepress/usage`."""

    name: str
    html: str
    expected: str

    def read(self) -> Document:
        """The page as the reader reads it."""
        url = f"https://larder.example/manual/{self.name.partition('/')[2]}"
        return read_page(
            RawPage(
                key=url,
                url=url,
                content=self.html,
                media_type=MediaType.HTML,
                source="manual",
                source_path=f"/manual/{self.name}",
                source_hash="0",
                slug=self.name,
                served_at=url,
            )
        )


def kept_pages() -> list[KeptPage]:
    """All of them, by generator and name."""
    return [
        KeptPage(
            f"{path.parents[1].name}/{path.stem}",
            path.read_text("utf-8"),
            (path.parents[1] / "expected" / f"{path.stem}.md").read_text("utf-8"),
        )
        for path in sorted(FOLDER.glob("*/pages/*.html"))
    ]
