"""MCP: the documentation as tools of language models, over stdio and HTTP. Needs the extra `mcp`."""
