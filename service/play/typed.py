"""What people and programs type."""

import sys
from io import StringIO, TextIOWrapper
from typing import TextIO


def typed_lines() -> TextIO:
    """Standard input, empty where it is closed; what is no text in it reads as bad input."""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    return sys.stdin or StringIO()
