"""A folder of Markdown, read as Docusaurus, MkDocs or plain Markdown."""
