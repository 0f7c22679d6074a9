"""Retrievers for LangChain, LlamaIndex and Haystack, over an Assay in this process or a running one.

Each module needs the extra of its name.
"""
