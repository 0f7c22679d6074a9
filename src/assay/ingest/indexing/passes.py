"""The two passes over a generation's chunks: the first counts terms, the second writes vectors."""

from contextlib import closing
from dataclasses import replace
from itertools import islice

from assay.ingest.indexing.term_spool import TermSpool
from assay.ingest.indexing.vectors import VectorSupply
from assay.ingest.indexing.vocabulary import VocabularyBuilder
from assay.model.batches import batched
from assay.model.generations import ContentFingerprint, Generation
from assay.ports import Catalog, IndexPoint, IndexWriter, Names, Progress, SparseEncoder

_CHUNKS_AT_ONCE = 512
_DOCUMENTS_AT_ONCE = 200


def count_terms(
    generation: Generation, catalog: Catalog, encoder: SparseEncoder, spool: TermSpool, progress: Progress
) -> Generation:
    """Write every chunk's term counts to the spool, and the vocabulary to the catalog.

    Returns the generation with the number of chunks, the average length, whether it has variants, and the content's
    fingerprint.
    """
    fingerprint = ContentFingerprint()
    vocabulary = VocabularyBuilder()
    variants = False
    for batch in batched(catalog.chunks(generation.id), _CHUNKS_AT_ONCE):
        texts = [chunk.keyword_text for chunk in batch]
        names = [Names.of(chunk) for chunk in batch]
        counts = encoder.term_counts(texts, names)
        spool.write(counts)
        for chunk, text, named, counted in zip(batch, texts, names, counts, strict=True):
            fingerprint.add(chunk)
            vocabulary.add(chunk, text, named, counted.indices)
            variants = variants or not chunk.document.primary
        progress.advance(len(batch))
    catalog.keep_vocabulary(generation.id, vocabulary.vocabulary())
    return replace(
        generation,
        sparse=encoder.identity(spool.average_length),
        chunks=spool.vectors,
        has_variants=variants,
        content_fingerprint=fingerprint.value,
    )


def write_points(
    generation: Generation,
    catalog: Catalog,
    encoder: SparseEncoder,
    spool: TermSpool,
    supply: VectorSupply,
    writer: IndexWriter,
    progress: Progress,
) -> None:
    """Write the vectors of every chunk, a few chunks at a time, and record their checksums in the catalog.

    generation: as returned by count_terms.
    """
    counts = spool.read()
    batches = batched(catalog.chunks(generation.id), _CHUNKS_AT_ONCE)
    checksums: dict[str, dict[str, bytes]] = {}
    with closing(supply.stream(batches)) as stream:
        for batch, dense in stream:
            sparse = encoder.weigh(list(islice(counts, len(batch))), generation.sparse.average_length)
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
