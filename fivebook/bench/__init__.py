"""What `fivebook bench` measures."""
