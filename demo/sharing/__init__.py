"""Server-side parts of sharing an answer, for results that a browser cannot make by itself."""
