"""The documentation as tools of language models: by calls in Python (`tools`), and over MCP with the extra `mcp`."""
