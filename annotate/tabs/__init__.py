"""The annotation tab: a start page, and a task form for each kind of task; the page provides its services."""
