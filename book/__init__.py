"""Opening books: positions with their best moves, in SQLite files or PostgreSQL databases."""
