"""Server side of the live coach: seats for a limited number of visitors, their frames, and the advice on each."""
