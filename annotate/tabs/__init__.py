"""The annotation tab: a start page, and a desk for each kind of work; how words get on the page is handed in."""
