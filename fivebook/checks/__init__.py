"""What `fivebook prove-check` checks: each kind of proof in a file, by the one command."""
