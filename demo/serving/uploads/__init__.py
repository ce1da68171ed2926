"""Data sent by visitors: limited before parsing, and kept only as long as an answer needs it."""
