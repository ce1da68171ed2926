"""Files: read within bounds, written whole or not at all, and fetched out of wheels of the package index."""
