"""Formats that hold Gomoku alone."""
