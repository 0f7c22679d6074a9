"""A documentation site as a source: found by sitemaps, llms.txt and links, fetched politely, kept on disk."""
