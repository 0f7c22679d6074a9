"""Search the topics of a test set, measure the rankings, the latency and the links."""
