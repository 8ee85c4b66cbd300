"""Second implementations, slow and plain, that share nothing with the code they check."""
