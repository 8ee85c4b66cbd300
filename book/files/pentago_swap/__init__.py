"""Formats that hold Pentago-swap alone."""
