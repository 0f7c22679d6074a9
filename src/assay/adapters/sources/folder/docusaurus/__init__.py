"""A Docusaurus site: its configuration, and the URLs, versions and locales of its docs."""
