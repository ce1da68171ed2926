"""Who is let in, at what rate, and what somebody may answer: guests, allowances, the qualification test, the reveal."""
