"""Examples of the page, their routes, and the command that renders their pictures."""
