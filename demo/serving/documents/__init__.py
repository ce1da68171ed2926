"""First response to a browser: the HTML document with the page's metadata, and compression."""
