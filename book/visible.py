"""Texts that come from files, names and other programs, as they may be shown."""

import re

# Control characters but for the line feed, marks that turn the direction of writing or break lines,
# and the halves of characters that stand for undecodable bytes of a file's name.
_HIDDEN = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""`text` with what a terminal would obey, or could not show, written as \x1b or \u202e."""
    return _HIDDEN.sub(_written, text)


def visible_json(text: str) -> str:
    """A JSON text that means the same, in which nothing is hidden but between its tokens."""
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _written(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
