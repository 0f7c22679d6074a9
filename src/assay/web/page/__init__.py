"""Assay's own page and `<assay-search>`: HTML for browsers without JavaScript, and the files for the others."""
