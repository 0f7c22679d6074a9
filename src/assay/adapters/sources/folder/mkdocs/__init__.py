"""An MkDocs site: its configuration, and the URLs and locales of its pages."""
