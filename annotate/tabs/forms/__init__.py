"""The desks: how each kind of work is shown, and how what was filled in there becomes an answer."""
