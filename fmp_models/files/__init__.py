"""File access: size-limited reading, atomic writing, and files out of wheels of the package index."""
