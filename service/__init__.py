"""Answers from books and live searches; HTTP and games between players, which ask for them."""
