"""Training texts: retold, recombined, in people's words, and as numbers."""
