"""Matches between players: the games, what they come to, and what that tells."""
