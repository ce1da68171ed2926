"""Records, without input or output: events, their kinds and fields, and what the page is told."""
