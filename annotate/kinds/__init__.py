"""Kinds of task, one module each: the record, the questions, the answer and its reading, the form, and the quality."""
