"""The breaker's game: one side, moving second, keeps the other from ever filling five in a row."""
