"""Views: HTML and figures of corrections and rankings, with their provenance and attention maps."""
