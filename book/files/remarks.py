"""Remarks: what a tree's file has no place of its own for, in one line of text.

A remark is what `[fivebook value=568 bound=exact depth=12 games=3 dark=2 draws=0 light=1]` has
between its first word and its end. `[fivebook way]` stands at a node that only leads to others.
"""

import re
from dataclasses import replace

from book.files.contents import Noted, Results
from engine.values import WIN, Bound

_REMARK = re.compile(r"\[fivebook((?: [a-z]+(?:=[-a-z0-9]+)?)*)\](?:\n|$)")
_WAY = "way"
_MOST = (1 << 31) - 1
_GAMES = ("games", "dark", "draws", "light")


def words_of(noted: Noted | None) -> str:
    """The words of a node's remark; None is a node that only leads to others."""
    if noted is None:
        return _WAY
    words = []
    if noted.value is not None:
        bound = "none" if noted.bound is None else noted.bound.value
        words += [f"value={noted.value}", f"bound={bound}", f"depth={noted.depth}"]
    if noted.results.games:
        words += [f"{n}={c}" for n, c in zip(_GAMES, noted.results, strict=True)]
    return " ".join(words)


def remark_of(noted: Noted | None, *, is_root: bool = False) -> str:
    """The remark of a node; empty where there is nothing to say of it."""
    words = words_of(noted)
    return f"[fivebook {words}]" if words else "[fivebook]" if is_root else ""


def with_remark(noted: Noted) -> Noted | None:
    """`noted` with what the remark at the beginning of its comment says, which is taken out.

    None where it says that the node only leads to others.
    """
    match = _REMARK.match(noted.comment)
    if match is None:
        return noted
    return after_words(replace(noted, comment=noted.comment[match.end() :]), match[1])


def after_words(noted: Noted, text: str) -> Noted | None:
    """`noted` with what the words of a remark say; None where it only leads to others."""
    words = dict(word.partition("=")[::2] for word in text.split())
    if _WAY in words:
        return None
    value = _number(words.get("value", ""), -WIN, WIN)
    if value is not None:
        bound = words.get("bound", "")
        noted = replace(
            noted,
            value=value,
            bound=Bound(bound) if bound in list(Bound) else None,
            depth=_number(words.get("depth", ""), 0, _MOST) or 0,
        )
    return replace(noted, results=_results(words))


def _results(words: dict[str, str]) -> Results:
    results = Results(*(_number(words.get(name, ""), 0, _MOST) or 0 for name in _GAMES))
    return results if results.games >= sum(results[1:]) else Results()


def _number(text: str, least: int, most: int) -> int | None:
    if not re.fullmatch("-?[0-9]{1,10}", text):
        return None
    return int(text) if least <= int(text) <= most else None
