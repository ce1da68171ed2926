"""Training texts: told again, recombined, in people's words, and as numbers."""
