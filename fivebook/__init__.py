"""The front door: the Python face and the command line."""
