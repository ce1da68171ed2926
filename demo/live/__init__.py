"""Server side of the live coach: sessions for a limited number of visitors, their frames, and the advice on each."""
