"""Signs in text that a page was read wrongly: leftovers of markup, almost empty pages, equal pages. Pure."""
