"""Making certificates of Pentago-swap from what its exact solver knows."""
