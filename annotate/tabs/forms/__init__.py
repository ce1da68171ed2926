"""The task forms: the display of each kind of task, and the conversion of its fields into an answer."""
