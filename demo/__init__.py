"""The web page of the demo: tabs, views, serving and texts."""
