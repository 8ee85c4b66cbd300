"""Making certificates of Gomoku from the strategies that its finder proves."""
