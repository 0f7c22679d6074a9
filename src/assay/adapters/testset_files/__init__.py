"""Files of labelled queries: YAML, JSON, JSONL, TREC, BEIR and CSV, in and out."""
