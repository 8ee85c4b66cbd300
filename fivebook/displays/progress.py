"""How far a command is: live on a terminal, plain lines elsewhere."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

from rich.console import Console, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from book.closing import Closing
from fivebook.console import console

_SECONDS_BETWEEN_LINES = 5.0
_SECONDS_BETWEEN_UPDATES = 0.2

_State = TypeVar("_State")


class ProgressDisplay(Closing, Generic[_State]):
    """Shows the states of what is being done, and leaves nothing of them on a terminal.

    `describe` tells a state in one line; `draw` is what a terminal shows instead of that line with
    a spinner. Both are called only when it is time to show something. Where `terminal` is a file or
    a pipe, a line is printed every few seconds; `quiet` shows nothing at all.
    """

    def __init__(
        self,
        describe: Callable[[_State], str],
        draw: Callable[[_State], RenderableType] | None = None,
        *,
        terminal: Console = console,
        quiet: bool = False,
    ) -> None:
        self._describe = describe
        self._draw = draw
        self._terminal = terminal
        self._quiet = quiet
        self._live: Live | None = None
        self._spinner = Spinner("dots")
        self._due = time.monotonic()
        if quiet:
            return
        if terminal.is_terminal:
            self._live = Live(self._spinner, console=terminal, transient=True)
            self._live.start()
        else:
            self._due += _SECONDS_BETWEEN_LINES

    def close(self) -> None:
        """Leave the terminal as it is."""
        if self._live is not None:
            self._live.stop()

    def show(self, state: _State) -> None:
        """Take in a new state; it is drawn or printed every so often."""
        if self._quiet or time.monotonic() < self._due:
            return
        if self._live is None:
            self._due = time.monotonic() + _SECONDS_BETWEEN_LINES
            line = self._describe(state)
            self._terminal.print(line, highlight=False, markup=False, soft_wrap=True)
            return
        self._due = time.monotonic() + _SECONDS_BETWEEN_UPDATES
        if self._draw is None:
            self._spinner.update(text=Text(self._describe(state)))
        else:
            self._live.update(self._draw(state))
