"""Where a book is and how it is kept: SQLite or PostgreSQL, the schema and its history."""
