"""Faults of the index and of its files, each planted by the engine or byte by byte."""

import shutil
from pathlib import Path

import numpy as np

from tests.planting import ServerPoints, Stored, Stores, rotated
from tests.sabotages.in_catalog import Plant


def one_byte_of_a_payload(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()

    def change(point: Stored) -> None:
        point.payload["text"] = f"{point.payload['text'][:9]}~{point.payload['text'][10:]}"

    stores.change_point(chunk, change)
    return {"agreement": (f"{chunk} (", "differs between index and catalog: text")}


def a_payload_without_a_title(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    stores.change_point(chunk, lambda point: point.payload.pop("title"))
    return {"completeness": (f"{chunk} (", "lacks `title` in the index")}


def a_payload_that_cannot_be_read(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    stores.change_point(chunk, lambda point: point.payload.update(rest="{"))
    return {"completeness": (f"{chunk} (", "has a `rest` that is not a JSON object in the index")}


def facets_of_another_version(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()
    stores.change_point(chunk, lambda point: point.payload["facets"].remove("scope:primary"))
    return {"agreement": (f"{chunk} (", "has values of facets that contradict its other fields")}


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


def _not_as_recorded(*chunks: str) -> dict[str, tuple[str, ...]]:
    """What the checksums of vectors say of these chunks; of any, if none is named."""
    said = [f"{chunk} (" for chunk in chunks]
    return {"vector checksums": (*said, "its vector is not the vector that was recorded")}


def two_vectors_swapped(stores: Stores) -> dict[str, tuple[str, ...]]:
    one, other = (stores.points.all()[stores.chunk(number)] for number in (0, 3))
    one.dense, other.dense = other.dense, one.dense
    stores.points.put(one, other)
    return {
        "embeddings": (
            f"{one.id} (",
            f"{other.id} (",
            "have each other's vectors",
            "Vectors are swapped: searches find one passage by the meaning of another.",
        ),
        **_not_as_recorded(one.id, other.id),
    }


def the_vector_of_another_chunk(stores: Stores) -> dict[str, tuple[str, ...]]:
    one, other = (stores.points.all()[stores.chunk(number)] for number in (0, 3))
    one.dense = other.dense
    stores.points.put(one)
    return {"embeddings": (f"{one.id} (", "of another text or another model"), **_not_as_recorded(one.id)}


def the_vectors_of_another_model(stores: Stores) -> dict[str, tuple[str, ...]]:
    points = list(stores.points.all().values())
    for point in points:
        point.dense = rotated(point.dense)
    stores.points.put(*points)
    return {
        "embeddings": (
            f"{len(points)} of {len(points)} vectors are not those that static",
            "another model, or another version of it, made them",
        ),
        **_not_as_recorded(),
    }


def a_vector_of_half_the_length(stores: Stores) -> dict[str, tuple[str, ...]]:
    """Both engines make vectors unit length when they are written, so its direction has to be wrong to be seen."""
    chunk = stores.chunk()

    def change(point: Stored) -> None:
        point.dense = [0.5 * value for value in rotated(point.dense)]

    stores.change_point(chunk, change)
    return {"embeddings": (f"{chunk} (",), **_not_as_recorded(chunk)}


def one_number_of_a_vector(stores: Stores) -> dict[str, tuple[str, ...]]:
    chunk = stores.chunk()

    def change(point: Stored) -> None:
        point.dense[17] += 0.01

    stores.change_point(chunk, change)
    said = (f"{chunk} (", "of another text or another model (cosine 1.00")
    return {"embeddings": said, **_not_as_recorded(chunk)}


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
    said = (path.name, "is missing, cut short or damaged")
    return {"index": said, "embeddings": (f"{chunk} (",), **_not_as_recorded(chunk)}


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
