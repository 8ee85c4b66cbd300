"""Making certificates of a draw in Gomoku from the strategy that its breaker's search proves."""
