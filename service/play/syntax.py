"""The two texts of game records as text: what stands in them, not what it means.

SGF is read as FF[4] has it (red-bean.com/sgf), of each game tree the main line alone: every
first variation. Move text looks like PGN: headers in brackets, an empty line, moves.
"""

import re
import textwrap
from collections.abc import Mapping, Sequence

from engine.errors import FivebookError

Node = Mapping[str, str]
Headers = Mapping[str, str]

_NODES_A_LINE = 12
_COLUMNS = 80

_TREE = re.compile(r"\(\s*;")
_VALUE = r"\[((?:\\.|[^\\\]])*)\]"
_TREE_TOKEN = re.compile(
    rf"\s*(?:(?P<mark>[();])|(?P<name>[A-Za-z]+)\s*{_VALUE}(?:\s*{_VALUE})*)", re.DOTALL
)
_TEXT_TOKEN = re.compile(
    r'\s*(?:\[(?P<name>\w+)\s+"(?P<value>(?:\\.|[^\\"])*)"\s*\]|(?P<comment>\{[^}]*\})|(?P<word>[^\s\[{]+))',
    re.DOTALL,
)


class InvalidRecord(FivebookError, ValueError):
    """A text that is no game record."""


def format_sgf(nodes: Sequence[Node]) -> str:
    """A game tree of one line. Line breaks in values become spaces."""
    texts = [
        ";" + "".join(f"{name}[{_escape(value)}]" for name, value in node.items()) for node in nodes
    ]
    lines = [f"({texts[0]}"]
    for start in range(1, len(texts), _NODES_A_LINE):
        lines.append("".join(texts[start : start + _NODES_A_LINE]))
    return "\n".join(lines) + ")\n"


def parse_sgf(text: str) -> list[list[Node]]:
    """The nodes of each game tree's main line; what is between the trees is passed over.

    Of a property with several values a node has the first.

    Raises:
        InvalidRecord: if there is no game tree, or one cannot be read.
    """
    start = _TREE.search(text)
    if start is None:
        raise InvalidRecord("no game record: SGF starts with '(;', move text with '[Game'")
    lines = []
    while start is not None:
        nodes, end = _main_line(text, start.start())
        lines.append(nodes)
        start = _TREE.search(text, end)
    return lines


def format_text(headers: Headers, words: Sequence[str]) -> str:
    """A block of move text. Line breaks in headers become spaces."""
    lines = [f'[{name} "{_escape(value)}"]' for name, value in headers.items()]
    return "\n".join([*lines, "", textwrap.fill(" ".join(words), _COLUMNS), "", ""])


def parse_text(text: str) -> list[tuple[Headers, Sequence[str]]]:
    """The headers and the moves of each block; each starts with its header Game.

    Raises:
        InvalidRecord: if it cannot be read.
    """
    blocks: list[tuple[dict[str, str], list[str]]] = []
    at = 0
    while token := _TEXT_TOKEN.match(text, at):
        at = token.end()
        if token["comment"]:
            continue
        if token["name"] == "Game":
            blocks.append(({}, []))
        elif not blocks:
            raise InvalidRecord("a game record in move text starts with '[Game \"...\"]'")
        headers, words = blocks[-1]
        if token["name"]:
            headers[token["name"]] = _unescape(token["value"])
        else:
            words.append(token["word"])
    if text[at:].strip():
        raise InvalidRecord(f"no move text {_near(text, at)}")
    return list(blocks)


def _main_line(text: str, at: int) -> tuple[list[Node], int]:
    """The nodes of the game tree at `at`, down to its first leaf, and where the tree ends."""
    nodes: list[dict[str, str]] = []
    depth, in_main_line = 0, True
    while token := _TREE_TOKEN.match(text, at):
        at = token.end()
        match token["mark"]:
            case "(":
                depth += 1
            case ")":
                depth -= 1
                in_main_line = False
                if depth == 0:
                    return list(nodes), at
            case ";" if in_main_line:
                nodes.append({})
            case None if in_main_line:
                # Before FF[4] names could have small letters, which meant nothing.
                name = re.sub("[a-z]", "", token["name"])
                nodes[-1].setdefault(name, _unescape(token[3]))
    if text[at:].strip():
        raise InvalidRecord(f"no SGF {_near(text, at)}")
    raise InvalidRecord("the game record breaks off: its last ')' is missing")


def _near(text: str, at: int) -> str:
    at = len(text) - len(text[at:].lstrip())
    return f"in line {text.count(chr(10), 0, at) + 1} from '{_on_one_line(text[at : at + 20])}'"


def _on_one_line(text: str) -> str:
    return re.sub(r"[\t\n\v\f\r]", " ", text)


def _escape(text: str) -> str:
    return re.sub(r'[\\\]"]', r"\\\g<0>", _on_one_line(text))


def _unescape(text: str) -> str:
    # A line break behind a backslash is only for the eye.
    kept = re.sub(r"\\(\r\n|\n\r|.)", lambda m: m[1].strip("\r\n"), text, flags=re.DOTALL)
    return _on_one_line(kept)
