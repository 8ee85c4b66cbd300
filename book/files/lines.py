"""Text files with something on each line, and `#` before comments."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from engine.errors import FivebookError

_Thing = TypeVar("_Thing")


def read_lines(
    path: Path, what: str, parse: Callable[[str], _Thing], refusal: type[FivebookError]
) -> tuple[_Thing, ...]:
    """What `parse` makes of each line that says something; `what` is what one of them is called.

    Raises:
        FivebookError: `refusal`, with the number of the first bad line; also where there is none.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise refusal(f"cannot read '{path}': {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise refusal(f"'{path}' is no text file") from error
    found = []
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if text:
            try:
                found.append(parse(text))
            except FivebookError as error:
                raise refusal(f"{path}, line {number}: {error}") from error
    if not found:
        raise refusal(f"'{path}' holds no {what}")
    return tuple(found)
