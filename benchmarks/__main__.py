"""All benchmarks, one after the other: `make bench`."""

from benchmarks import corpora, quality, serving

if __name__ == "__main__":
    corpora.main([])
    quality.main()
    serving.main(50_000)
