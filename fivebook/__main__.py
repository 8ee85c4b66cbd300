"""``python -m fivebook``: the command line."""

from fivebook.cli import main

main()
