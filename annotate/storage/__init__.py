"""Storage: events in SQLite or PostgreSQL, committed before an answer is confirmed, and queries on them."""
