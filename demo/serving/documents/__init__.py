"""What a stranger's browser loads first: the document with the page's name, and its compression."""
