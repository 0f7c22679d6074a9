"""All benchmarks, one after the other: `make bench`."""

from benchmarks import (
    audit,
    chain,
    corpora,
    crawling,
    derived,
    false_alarms,
    growth,
    http_load,
    judgments,
    latency,
    metrics,
    page_memory,
    quality,
    reading_sites,
    sabotages,
    scale,
    serving,
    simulations,
    storm,
    workers,
)

if __name__ == "__main__":
    corpora.main([])
    crawling.main()
    reading_sites.main()
    quality.main()
    derived.main([])
    serving.main(50_000)
    scale.main()
    http_load.main()
    workers.main()
    chain.main()
    storm.main()
    latency.main()
    audit.main()
    sabotages.main()
    false_alarms.main()
    metrics.main()
    simulations.main()
    judgments.main(2)
    page_memory.main()
    growth.main()
