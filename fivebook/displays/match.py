"""Showing matches while they are played: a live table on a terminal, plain lines elsewhere."""

import time

from rich.live import Live

from book.storage.closing import Closing
from fivebook.console import console
from fivebook.displays.match_report import match_view, summary_line
from service.play.arena.match import Match

_SECONDS_BETWEEN_LINES = 5.0
_SECONDS_BETWEEN_UPDATES = 0.2


class MatchDisplay(Closing):
    """Shows the state of the match that is being played, and leaves nothing of it."""

    def __init__(self) -> None:
        live = console.is_terminal
        self._pause = _SECONDS_BETWEEN_UPDATES if live else _SECONDS_BETWEEN_LINES
        self._due = time.monotonic() + self._pause
        self._live = Live(console=console, transient=True, auto_refresh=False)
        if live:
            self._live.start()

    def close(self) -> None:
        """Leave the terminal as it is."""
        self._live.stop()

    def show(self, match: Match) -> None:
        """Take in a new state; it is drawn or printed every so often."""
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + self._pause
        if self._live.is_started:
            self._live.update(match_view(match), refresh=True)
        else:
            console.print(summary_line(match), markup=False, highlight=False, soft_wrap=True)
