"""Tasks: who does what next, how answers are read, checked and undone, and how much a person may ask."""
