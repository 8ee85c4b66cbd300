"""The games, one folder each; see `engine.registry`."""
