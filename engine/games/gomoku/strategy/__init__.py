"""Winning strategies of Gomoku openings: quiet moves between wins by threats."""
