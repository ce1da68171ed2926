"""Who does what next: tasks scheduled, answers read and checked, undone, and how much a person may ask."""
