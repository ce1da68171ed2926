"""Storage: events in SQLite or PostgreSQL, written before anybody is thanked, and the queries on them."""
