"""What to search next, one module a mode of building."""
