"""Making certificates, one folder a game: what a prover knows becomes a strategy in a file."""
