"""Every kind of fault, planted into a real generation by real means, is found by `assay audit` and named.

The catalog is changed by SQL, the embedded index by the engine, the collection of a Qdrant server by its client.
"""

import json
import shutil
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.peers.qdrant import QdrantPeer
from tests.planting import EdgePoints, ServerPoints, Stored, Stores, rotated

from assay.app import Assay, AuditReport, example_folder
from assay.errors import PromotionRefused
from assay.settings import load_settings

STORES = ("embedded", "qdrant")


def _settings(data: Path, store: str, url: str | None) -> dict[str, Any]:
    source = {"path": example_folder() / "handbook", "base_url": "https://docs.example", "name": "handbook"}
    server = {"url": url} if url else {}
    chunking = {"max_characters": 600}
    return {"data_dir": data, "sources": [source], "index": {"store": store}, "qdrant": server, "chunking": chunking}


@dataclass
class Planted:
    """A generation that may have been damaged, and the audit of it."""

    stores: Stores
    store: str
    url: str | None

    def open(self) -> Assay:
        return Assay.open(load_settings(None, _settings(self.stores.data, self.store, self.url)))

    def audit(self, **asked: Any) -> AuditReport:  # noqa: ANN401 - what Assay.audit takes
        with self.open() as assay:
            return assay.audit(**asked)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A folder for each store with a live generation in `data`, and the server's files in `server`; to be copied."""
    folders: dict[str, Path] = {}

    def build(store: str) -> Path:
        if store not in folders:
            folder = folders[store] = tmp_path_factory.mktemp(store)
            if store == "qdrant":
                with QdrantPeer(folder / "server") as peer:
                    _publish(folder / "data", store, peer.url)
            else:
                _publish(folder / "data", store, None)
        return folders[store]

    return build


def _publish(data: Path, store: str, url: str | None) -> None:
    with Assay.open(load_settings(None, _settings(data, store, url))) as assay:
        assert assay.publish().promoted


@pytest.fixture
def planted(request: pytest.FixtureRequest, built: Callable[[str], Path], tmp_path: Path) -> Iterator[Planted]:
    """A copy to be damaged, in the store that a test names."""
    store = request.param
    shutil.copytree(built(store), tmp_path / "copy")
    data = tmp_path / "copy" / "data"
    if store == "embedded":
        (folder,) = (data / "generations").iterdir()
        yield Planted(Stores(data, EdgePoints(folder)), store, None)
        return
    with QdrantPeer(tmp_path / "copy" / "server") as peer:
        yield Planted(Stores(data, ServerPoints(peer.url)), store, peer.url)


def _found(report: AuditReport) -> dict[str, str]:
    """Each kind of which there are faults, with all that is said of them."""
    faults = report.audit.faults
    return {kind: "\n".join([*fault.examples, fault.cause]) for kind, fault in faults.items() if fault.count}


Plant = Callable[[Stores], dict[str, tuple[str, ...]]]
"""Plants a fault; gives the kinds that have to be found, with what has to be said of each. No other may be."""


# --- in the catalog ------------------------------------------------------------------------------------------------


def one_byte_of_a_text(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    stores.sql("UPDATE chunks SET text = substr(text, 1, 9) || '~' || substr(text, 11) WHERE chunk_id = ?", chunk)
    return {
        "hashes": (f"{chunk} (", "its text does not have the hash", "what is embedded does not have the hash"),
        "spans": (f"{chunk} (", "of its document"),
        "agreement": (f"{chunk} (", "differs between index and catalog: text"),
        "embeddings": (f"{chunk} (",),
        "keywords": (f"{chunk} (",),
    }


def one_byte_of_a_compressed_document(stores: Stores) -> dict[str, tuple[str, ...]]:
    number, url, packed = stores.sql("SELECT id, url, text FROM document_revisions ORDER BY url")[1]
    middle = len(packed) // 2
    damaged = packed[:middle] + bytes([packed[middle] ^ 0xFF]) + packed[middle + 1 :]
    stores.sql("UPDATE document_revisions SET text = ? WHERE id = ?", damaged, number)
    return {"catalog": (url, "is damaged")}


def a_byte_that_is_no_utf_8(stores: Stores) -> dict[str, tuple[str, ...]]:
    return _unreadable_chunk(stores, "UPDATE chunks SET text = CAST(x'FF' || text AS TEXT) WHERE chunk_id = ?")


def headings_that_are_no_json(stores: Stores) -> dict[str, tuple[str, ...]]:
    return _unreadable_chunk(stores, "UPDATE chunks SET heading_path = '{' WHERE chunk_id = ?")


def headings_that_are_no_list(stores: Stores) -> dict[str, tuple[str, ...]]:
    return _unreadable_chunk(stores, "UPDATE chunks SET heading_path = 'null' WHERE chunk_id = ?")


def a_time_that_is_none(stores: Stores) -> dict[str, tuple[str, ...]]:
    return _unreadable_chunk(stores, "UPDATE chunks SET created_at = 'yesterday' WHERE chunk_id = ?")


def _unreadable_chunk(stores: Stores, statement: str) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    ((url,),) = stores.sql(
        "SELECT url FROM document_revisions WHERE id = (SELECT revision_id FROM chunks WHERE chunk_id = ?)", chunk
    )
    stores.sql(statement, chunk)
    return {
        "catalog": (f"{url}: ", "damaged"),
        "agreement": (f"{chunk} is in the index only", "the generation says"),
        "fingerprint": (),
        "keywords": ("terms on average",),
    }


def one_character_of_a_document(stores: Stores) -> dict[str, tuple[str, ...]]:
    number, url, packed = stores.sql("SELECT id, url, text FROM document_revisions ORDER BY url")[1]
    text = zlib.decompress(packed).decode()
    stores.sql("UPDATE document_revisions SET text = ? WHERE id = ?", zlib.compress(f"{text}.".encode()), number)
    return {"hashes": (f"{url}: its text does not have the hash",)}


def a_wrong_hash(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    stores.sql("UPDATE chunks SET content_hash = ? WHERE chunk_id = ?", "f" * 64, chunk)
    return {
        "hashes": (f"{chunk} (", "does not have the hash ffff"),
        "ids": (f"{chunk} (",),
        "agreement": (f"{chunk} (", "content_hash"),
        "fingerprint": (),
    }


def a_wrong_span(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    stores.sql("UPDATE chunks SET span_start = span_start + 1 WHERE chunk_id = ?", chunk)
    return {"spans": (f"{chunk} (",), "agreement": (f"{chunk} (", "start")}


def a_gap_in_the_positions(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    stores.sql("DELETE FROM chunks WHERE chunk_id = ?", chunk)
    return {
        "positions": ("was due", "chunks, not", "does not name the chunks before and after it"),
        "agreement": (f"{chunk} is in the index only", "the generation says"),
        "fingerprint": (),
        "keywords": ("terms on average",),
    }


def a_chunk_that_stands_twice(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    columns = [row[1] for row in stores.sql("PRAGMA table_info(chunks)") if row[1] != "order_index"]
    values = ", ".join("position + 100" if name == "position" else name for name in columns)
    stores.sql(f"INSERT INTO chunks ({', '.join(columns)}) SELECT {values} FROM chunks WHERE chunk_id = ?", chunk)
    return {
        "ids": (f"{chunk} (", "should have another id"),
        "positions": (f"{chunk} (", "has position 10"),
        "agreement": ("the generation says",),
        "fingerprint": (),
        "keywords": ("terms on average",),
    }


def another_id(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk, stranger = stores.chunk(), "00000000-0000-5000-8000-000000000000"
    stores.sql("UPDATE chunks SET chunk_id = ? WHERE chunk_id = ?", stranger, chunk)
    return {
        "ids": (f"{stranger} (",),
        "positions": (),
        "agreement": (f"{stranger} (", "is missing from the index", f"{chunk} is in the index only"),
        "fingerprint": (),
    }


def a_page_without_a_title(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    stores.sql(
        "UPDATE document_revisions SET title = '' WHERE id = (SELECT revision_id FROM chunks WHERE chunk_id = ?)", chunk
    )
    return {
        "completeness": (f"{chunk} (", "lacks title"),
        "hashes": ("what is embedded",),
        "agreement": ("title",),
        "embeddings": (),
        "keywords": (),
    }


def another_fingerprint(stores: Stores) -> dict[str, tuple[str, ...]]:
    stores.sql("UPDATE generations SET content_fingerprint = ?", "0" * 64)
    return {"fingerprint": (f"was sealed with {'0' * 64}",)}


def another_number_of_chunks(stores: Stores) -> dict[str, tuple[str, ...]]:
    stores.sql("UPDATE generations SET chunks = chunks + 1")
    return {"agreement": ("the generation says",)}


def another_embedder_in_the_records(stores: Stores) -> dict[str, tuple[str, ...]]:
    (row,) = stores.sql("SELECT embedder FROM generations")
    stores.sql("UPDATE generations SET embedder = ?", json.dumps(json.loads(row[0]) | {"revision": "another"}))
    return {"identity": ("the embedder: revision 'another' when it was built",)}


def another_average_length_in_the_records(stores: Stores) -> dict[str, tuple[str, ...]]:
    (row,) = stores.sql("SELECT sparse FROM generations")
    stores.sql("UPDATE generations SET sparse = ?", json.dumps(json.loads(row[0]) | {"average_length": 256.0}))
    return {"keywords": ("256 terms on average", "have another weight")}


IN_THE_CATALOG: tuple[Plant, ...] = (
    one_byte_of_a_text,
    one_byte_of_a_compressed_document,
    a_byte_that_is_no_utf_8,
    headings_that_are_no_json,
    headings_that_are_no_list,
    a_time_that_is_none,
    one_character_of_a_document,
    a_wrong_hash,
    a_wrong_span,
    a_gap_in_the_positions,
    a_chunk_that_stands_twice,
    another_id,
    a_page_without_a_title,
    another_fingerprint,
    another_number_of_chunks,
    another_embedder_in_the_records,
    another_average_length_in_the_records,
)


# --- in the index --------------------------------------------------------------------------------------------------


def one_byte_of_a_payload(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()

    def change(point: Stored) -> None:
        point.payload["text"] = f"{point.payload['text'][:9]}~{point.payload['text'][10:]}"

    stores.change_point(chunk, change)
    return {"agreement": (f"{chunk} (", "differs between index and catalog: text")}


def a_payload_without_a_title(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    stores.change_point(chunk, lambda point: point.payload.pop("title"))
    return {"completeness": (f"{chunk} (", "lacks title in the index")}


def a_payload_that_cannot_be_read(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    stores.change_point(chunk, lambda point: point.payload.update(rest="{"))
    return {"completeness": (f"{chunk} (", "cannot be read")}


def facets_of_another_version(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    stores.change_point(chunk, lambda point: point.payload["facets"].remove("scope:primary"))
    return {"agreement": (f"{chunk} (", "has other facets than follow from its fields")}


def the_position_of_another_chunk(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    stores.change_point(chunk, lambda point: point.payload.update(position=77, order_index=78))
    return {"agreement": (f"{chunk} (", "differs between index and catalog: position")}


def a_missing_point(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    stores.points.remove(chunk)
    expected = {"agreement": (f"{chunk} (", "is missing from the index", "the generation says")}
    return expected | _miscounted(stores)


def an_extra_point(stores: Stores) -> dict[str, tuple[str, ...]]:
    stranger = "00000000-0000-5000-8000-000000000000"
    point = stores.points.all()[stores.chunk()]
    point.id = point.payload["chunk_id"] = stranger
    stores.points.put(point)
    return {"agreement": (f"{stranger} is in the index only", "the generation says")} | _miscounted(stores)


def _miscounted(stores: Stores) -> dict[str, tuple[str, ...]]:
    """What a server's collection says besides; an embedded index was sealed again with the points that it has now."""
    return {"index": ("it was sealed with",)} if isinstance(stores.points, ServerPoints) else {}


def two_vectors_swapped(stores: Stores) -> dict[str, tuple[str, ...]]:
    one, other = (stores.points.all()[stores.chunk(number)] for number in (0, 3))
    one.dense, other.dense = other.dense, one.dense
    stores.points.put(one, other)
    return {
        "embeddings": (
            f"{one.id} (",
            f"{other.id} (",
            "hold each other's vectors",
            "Vectors have changed places: searches find one passage by the meaning of another.",
        )
    }


def the_vector_of_another_chunk(stores: Stores) -> dict[str, tuple[str, ...]]:
    one, other = (stores.points.all()[stores.chunk(number)] for number in (0, 3))
    one.dense = other.dense
    stores.points.put(one)
    return {"embeddings": (f"{one.id} (", "of another text or another model")}


def the_vectors_of_another_model(stores: Stores) -> dict[str, tuple[str, ...]]:
    points = list(stores.points.all().values())
    for point in points:
        point.dense = rotated(point.dense)
    stores.points.put(*points)
    return {
        "embeddings": (
            f"{len(points)} of {len(points)} vectors are not what static",
            "another model, or another state of it, made them",
        )
    }


def a_vector_of_half_the_length(stores: Stores) -> dict[str, tuple[str, ...]]:
    """Both engines make vectors unit length when they are written, so its direction has to be wrong to be seen."""
    chunk = stores.chunk()

    def change(point: Stored) -> None:
        point.dense = [0.5 * value for value in rotated(point.dense)]

    stores.change_point(chunk, change)
    return {"embeddings": (f"{chunk} (",)}


def one_number_of_a_vector(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()

    def change(point: Stored) -> None:
        point.dense[17] += 0.01

    stores.change_point(chunk, change)
    return {"embeddings": (f"{chunk} (", "of another text or another model (cosine 1.00")}


def keywords_of_another_chunk(stores: Stores) -> dict[str, tuple[str, ...]]:
    one, other = (stores.points.all()[stores.chunk(number)] for number in (0, 3))
    (one.indices, one.weights), (other.indices, other.weights) = (
        (other.indices, other.weights),
        (one.indices, one.weights),
    )
    stores.points.put(one, other)
    return {"keywords": (f"{one.id} (", f"{other.id} (", "are missing, and")}


def another_weight_of_a_keyword(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()

    def change(point: Stored) -> None:
        point.weights[2] *= 1.01

    stores.change_point(chunk, change)
    return {"keywords": (f"{chunk} (", "1 of its", "have another weight")}


def no_keywords(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()

    def change(point: Stored) -> None:
        point.indices, point.weights = [], []

    stores.change_point(chunk, change)
    return {"keywords": (f"{chunk} (",)}


IN_THE_INDEX: tuple[Plant, ...] = (
    one_byte_of_a_payload,
    a_payload_without_a_title,
    a_payload_that_cannot_be_read,
    facets_of_another_version,
    the_position_of_another_chunk,
    a_missing_point,
    an_extra_point,
    two_vectors_swapped,
    the_vector_of_another_chunk,
    the_vectors_of_another_model,
    a_vector_of_half_the_length,
    one_number_of_a_vector,
    keywords_of_another_chunk,
    another_weight_of_a_keyword,
    no_keywords,
)


# --- in the files of the embedded index ----------------------------------------------------------------------------


def one_byte_of_the_vector_file(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    path, content = _vectors(stores)
    wanted = np.asarray(stores.points.all()[chunk].dense, np.float32).tobytes()
    path, content = _vectors(stores)
    place = content.index(wanted) + 4 * 5 + 3  # the byte of the fifth number that has its sign
    path.write_bytes(content[:place] + bytes([content[place] ^ 0x80]) + content[place + 1 :])
    return {"index": (path.name, "is missing, cut short or damaged"), "embeddings": (f"{chunk} (",)}


def _vectors(stores: Stores) -> tuple[Path, bytes]:
    """The file with the dense vectors."""
    (path,) = stores.index_folder.glob("segments/*/vector_storage-dense/vectors/chunk_*.mmap")
    return path, path.read_bytes()


def a_vector_file_cut_short(stores: Stores) -> dict[str, tuple[str, ...]]:
    path, content = _vectors(stores)
    path.write_bytes(content[: len(content) // 2])
    return {"index": (path.name,)}


def one_byte_of_another_file(stores: Stores) -> dict[str, tuple[str, ...]]:
    path = max(stores.index_folder.glob("segments/*/payload_storage/page_*.dat"), key=lambda path: path.stat().st_size)
    content = path.read_bytes()
    path.write_bytes(content[:64] + bytes([content[64] ^ 0x80]) + content[65:])
    return {"index": (path.name, "is missing, cut short or damaged")}


def a_vector_file_that_is_gone(stores: Stores) -> dict[str, tuple[str, ...]]:
    path, _ = _vectors(stores)
    path.unlink()
    return {"index": (path.name,)}


def an_index_that_is_gone(stores: Stores) -> dict[str, tuple[str, ...]]:
    shutil.rmtree(stores.index_folder)
    return {"index": ("There is no index",)}


def a_vector_that_is_no_number(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()

    def change(point: Stored) -> None:
        point.dense[3] = float("nan")

    stores.change_point(chunk, change)
    return {"vectors": (f"{chunk} (", "squared length nan")}


IN_THE_FILES: tuple[Plant, ...] = (
    one_byte_of_the_vector_file,
    one_byte_of_another_file,
    a_vector_file_cut_short,
    a_vector_file_that_is_gone,
    an_index_that_is_gone,
    a_vector_that_is_no_number,
)


# --- the tests -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("planted", STORES, indirect=True)
def test_nothing_is_found_where_nothing_is_planted(planted: Planted) -> None:
    report = planted.audit()
    audit = report.audit
    assert _found(report) == {}
    assert audit.chunks == audit.compared_vectors == audit.compared_keywords == report.generation.chunks > 20
    assert audit.skipped == {}


def _check(planted: Planted, plant: Plant) -> None:
    expected = plant(planted.stores)
    found = _found(planted.audit())
    assert set(found) == set(expected)
    for kind, words in expected.items():
        for said in words:
            assert said in found[kind], f"{kind}: {found[kind]}"


@pytest.mark.parametrize("planted", ["embedded"], indirect=True)
@pytest.mark.parametrize("plant", [*IN_THE_CATALOG, *IN_THE_FILES], ids=lambda plant: plant.__name__)
def test_a_fault_in_the_catalog_or_the_files_is_found_and_named(planted: Planted, plant: Plant) -> None:
    _check(planted, plant)


@pytest.mark.parametrize("planted", STORES, indirect=True)
@pytest.mark.parametrize("plant", IN_THE_INDEX, ids=lambda plant: plant.__name__)
def test_a_fault_in_the_index_is_found_and_named(planted: Planted, plant: Plant) -> None:
    _check(planted, plant)


@pytest.mark.parametrize("planted", ["qdrant"], indirect=True)
def test_a_collection_that_is_gone_is_a_fault_and_the_catalog_is_looked_at_all_the_same(planted: Planted) -> None:
    points = planted.stores.points
    assert isinstance(points, ServerPoints)
    points.client.delete_collection(points.collection)
    planted.stores.sql("UPDATE chunks SET span_start = span_start + 1 WHERE chunk_id = ?", planted.stores.chunk())
    assert set(_found(planted.audit())) == {"index", "spans"}


# --- samples -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("planted", ["embedded"], indirect=True)
def test_a_stale_model_shows_in_a_small_sample(planted: Planted) -> None:
    the_vectors_of_another_model(planted.stores)
    report = planted.audit(sample=5)
    assert report.audit.compared_vectors == 5
    assert report.audit.faults["embeddings"].count == 5
    assert "another model, or another state of it, made them" in report.audit.faults["embeddings"].cause


@pytest.mark.parametrize("planted", ["embedded"], indirect=True)
def test_a_sample_is_the_same_each_time_and_another_for_other_content(planted: Planted) -> None:
    the_vectors_of_another_model(planted.stores)
    first, again = (planted.audit(sample=5).audit.faults["embeddings"].examples for _ in range(2))
    another_fingerprint(planted.stores)
    other = planted.audit(sample=5).audit.faults["embeddings"].examples
    assert first == again != other


@pytest.mark.parametrize("planted", ["embedded"], indirect=True)
def test_one_of_a_swapped_pair_in_the_sample_names_the_other_outside_of_it(planted: Planted) -> None:
    the_vectors_of_another_model(planted.stores)
    (sampled,) = planted.audit(sample=1).audit.faults["embeddings"].examples
    inside = sampled.split(" ")[0]
    points = planted.stores.points.all()
    for point in points.values():  # back to what they were
        for _ in range(_periods(point.dense)):
            point.dense = rotated(point.dense)
    one, other = points[inside], points[next(chunk for chunk in sorted(points) if chunk != inside)]
    one.dense, other.dense = other.dense, one.dense
    planted.stores.points.put(*points.values())
    (example,) = planted.audit(sample=1).audit.faults["embeddings"].examples
    assert inside in example
    assert other.id in example
    assert "hold each other's vectors" in example


def _periods(vector: list[float]) -> int:
    """How many more turns lead a vector that was turned once back to where it was."""
    start, turned, count = np.asarray(vector, np.float32), rotated(vector), 1
    while not np.array_equal(np.asarray(rotated(turned), np.float32), start):
        turned = rotated(turned)
        count += 1
    return count


@pytest.mark.parametrize("planted", ["embedded"], indirect=True)
def test_the_gate_refuses_a_candidate_with_vectors_of_another_model(planted: Planted) -> None:
    the_vectors_of_another_model(planted.stores)
    planted.stores.sql("UPDATE generations SET state = 'candidate'")
    planted.stores.sql("UPDATE live SET generation_id = NULL")
    with planted.open() as assay, pytest.raises(PromotionRefused, match="embeddings: 344 faults in 344 chunks"):
        assay.promote()
