"""Writing the vectors of a generation's chunks to its index."""

from contextlib import closing

from assay.ingest.indexing.counting import CountedPages
from assay.ingest.indexing.vectors import VectorSupply
from assay.model.batches import batched
from assay.model.generations import Generation
from assay.ports import Catalog, IndexPoint, IndexWriter, Progress, SparseEncoder

_CHUNKS_AT_ONCE = 512
_DOCUMENTS_AT_ONCE = 200


def write_points(
    generation: Generation,
    catalog: Catalog,
    encoder: SparseEncoder,
    counted: CountedPages,
    supply: VectorSupply,
    writer: IndexWriter,
    progress: Progress,
) -> None:
    """Write the vectors of every chunk, a few chunks at a time, and record their checksums in the catalog.

    generation: as returned by CountedPages.summary.
    """
    batches = batched(catalog.chunks(generation.id), _CHUNKS_AT_ONCE)
    checksums: dict[str, dict[str, bytes]] = {}
    with closing(supply.stream(batches)) as stream:
        for batch, dense in stream:
            sparse = encoder.weigh(counted.counts(batch), generation.sparse.average_length)
            vectors = (embedded.vector for embedded in dense)
            writer.add([IndexPoint(*triple) for triple in zip(batch, vectors, sparse, strict=True)])
            for chunk, embedded in zip(batch, dense, strict=True):
                checksums.setdefault(chunk.document.url, {})[chunk.id] = embedded.checksum
            if len(checksums) > _DOCUMENTS_AT_ONCE:
                last = batch[-1].document.url  # its other chunks may come in the next batch
                unfinished = checksums.pop(last)
                catalog.record_checksums(generation.id, checksums)
                checksums = {last: unfinished}
            progress.advance(len(batch))
    catalog.record_checksums(generation.id, checksums)
