"""The captioner: pair encoder, word decoder and text decoding."""
