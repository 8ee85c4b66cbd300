"""The browser for what looks at the service's page."""

import shutil

import click

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def chromium() -> str:
    """The path of the program.

    Raises:
        ClickException: if there is none.
    """
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        raise click.ClickException("there is no Chromium to visit the page with: make chromium")
    return program
