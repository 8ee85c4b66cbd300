"""The games, found by their ids.

Every module in `engine.games` defines `FAMILIES`, its families of games; adding a module adds
its games.
"""

import importlib
import pkgutil
import re
from difflib import SequenceMatcher, get_close_matches
from functools import cache, partial

import engine.games
from engine.errors import UnknownGame
from engine.game import Family, Game

# A text of more characters is no misspelt id, and is not compared with any.
_LONGEST = 40


@cache
def families() -> tuple[Family, ...]:
    """The families of games, by name."""
    package = engine.games
    names = (
        f"{package.__name__}.{module.name}" for module in pkgutil.iter_modules(package.__path__)
    )
    found = (family for name in names for family in importlib.import_module(name).FAMILIES)
    return tuple(sorted(found, key=lambda family: family.name))


def family_of(game: Game) -> Family:
    """The family that `game` belongs to."""
    return next(family for family in families() if family.find(game.id) is not None)


@cache
def get(game_id: str) -> Game:
    """The game called `game_id`; the same object each time.

    Raises:
        UnknownGame: if there is none; the message names the one that was probably meant.
    """
    for family in families():
        game = family.find(game_id)
        if game is not None:
            return game
    meant = _alike(game_id)
    guess = f"did you mean '{meant}'? There are" if meant else "there are"
    known = "; ".join(f"{family.ids} ({family.title})" for family in families())
    raise UnknownGame(f"unknown game '{game_id}'; {guess} {known}")


def _alike(text: str) -> str | None:
    """The id that `text` was probably meant to be, None if it is like no id.

    Spelling is corrected and not numbers: a board that is too small is no slip of the finger.
    """
    if len(text) > _LONGEST:
        return None
    words = _words(text)
    spelt = "-".join(words)
    if _exists(spelt):
        return spelt
    examples = [example for family in families() for example in family.examples]
    if any(_letters(words) == _letters(_words(example)) for example in examples) and any(
        map(str.isdecimal, words)
    ):
        return None
    known = {word for example in examples for word in _words(example)}
    corrected = "-".join(
        word if word.isdecimal() else next(iter(get_close_matches(word, known, n=1)), word)
        for word in words
    )
    candidates = [corrected, *examples] if _exists(corrected) else examples
    close = get_close_matches(spelt, candidates, n=len(candidates))
    # Of those that are as close, the first example, which is the game most people mean.
    return max(sorted(close, key=candidates.index), key=partial(_likeness, spelt), default=None)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+|[0-9]+", text.lower())


def _letters(words: list[str]) -> list[str]:
    return [word for word in words if not word.isdecimal()]


def _likeness(text: str, other: str) -> float:
    return SequenceMatcher(None, text, other).ratio()


def _exists(game_id: str) -> bool:
    return any(family.find(game_id) is not None for family in families())
