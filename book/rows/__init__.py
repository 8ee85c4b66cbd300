"""What is in the rows of a book: their encoding, how they are found, and what follows from them."""
