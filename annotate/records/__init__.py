"""Records, without input or output: events, their kinds and fields, and the types between page and server."""
