"""A book as a site of files alone: the page that explores it, and what the page asks."""
