"""Strategies in files that rules alone check, one folder a game."""
