"""Admission: who is let in, at what rate, to which kinds; guests, allowances, the qualification test, the reveal."""
