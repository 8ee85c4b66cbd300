"""Opening books: positions with their best moves, in a SQLite file that anyone can read."""
