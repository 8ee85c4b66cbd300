"""What to search next, the jobs that search it, and the one writer of their results."""
