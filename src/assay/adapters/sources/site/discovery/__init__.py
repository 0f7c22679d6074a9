"""The files that a crawl reads first: the start page, robots.txt, sitemaps, llms.txt and version lists."""
