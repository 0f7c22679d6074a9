"""A built site as a source: a folder or an archive of HTML, read as the site that it is on a static host."""
