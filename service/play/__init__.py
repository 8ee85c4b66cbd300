"""Games between players: the arena, the terminal, and players that need more than a position."""
