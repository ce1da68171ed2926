"""The captioner: encoder of pairs, decoder of words, and texts read off it."""
