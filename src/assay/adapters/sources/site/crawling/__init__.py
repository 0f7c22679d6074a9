"""The crawl: the URL queue, the rate limits, the fetching threads, and the record of results."""
