"""Events in a database: SQLite or PostgreSQL, written before anybody is thanked, and what it is asked."""
