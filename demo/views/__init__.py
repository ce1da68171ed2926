"""Views: HTML and figures of corrections and rankings, with their steps, sources and attention maps."""
