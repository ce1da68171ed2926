"""What visitors send: bounded before anything parses it, kept for as long as somebody needs it."""
