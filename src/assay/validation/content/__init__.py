"""What the text of pages and chunks tells of how they were read: leftovers of markup, pages that say nothing."""
