"""Tabs of the page, one module each, and the page for programs."""
