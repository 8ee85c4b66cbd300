"""The commands of this room, one module each."""
