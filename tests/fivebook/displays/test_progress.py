"""How far a command is, on a terminal and elsewhere."""

from io import StringIO

import pytest
from rich.console import Console
from rich.text import Text

from fivebook.displays import progress
from fivebook.displays.progress import ProgressDisplay


def shown(
    monkeypatch: pytest.MonkeyPatch, *, terminal: bool, quiet: bool = False, drawn: bool = False
) -> str:
    """What is written of the states 1 to 10, one a second."""
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    output = StringIO()
    console = Console(file=output, force_terminal=terminal, width=60, color_system=None)
    display = ProgressDisplay(
        lambda state: f"state [{state}] told",
        (lambda state: Text(f"state {state} drawn")) if drawn else None,
        terminal=console,
        quiet=quiet,
    )
    with display:
        for state in range(1, 11):
            now += 1.0
            display.show(state)
    return output.getvalue()


def test_elsewhere_there_is_a_line_every_five_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(monkeypatch, terminal=False).splitlines()
    assert lines == ["state [5] told", "state [10] told"]


def test_a_terminal_shows_the_state_and_keeps_nothing_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    output = shown(monkeypatch, terminal=True)
    assert "state [10] told" in output
    # The last thing drawn is taken away: the line erased, the cursor shown again.
    assert output.endswith(("\x1b[2K", "\x1b[?25h"))


def test_a_terminal_gets_the_drawing_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    output = shown(monkeypatch, terminal=True, drawn=True)
    assert "state 10 drawn" in output
    assert "told" not in output


@pytest.mark.parametrize("terminal", [True, False])
def test_quiet_is_quiet(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    assert shown(monkeypatch, terminal=terminal, quiet=True) == ""
