"""A match on disk, so that it can be stopped at any instant and go on."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock, Timeout

from book.closing import Closing
from book.replacing import replacing
from engine import registry
from engine.errors import FivebookError
from engine.game import Game, Outcome
from service.play.arena.referee import Effort, Forfeit, PlayedGame
from service.play.records import GameRecord, format_record, suffix


class MatchFolderError(FivebookError):
    """A folder without a match, or one that cannot hold this match: another's, in use, damaged, or
    not to be read or written.
    """


class SavedMatch(NamedTuple):
    """A match on disk as it is: its settings, and its finished games by their numbers."""

    game: Game
    settings: Mapping[str, Any]
    games: Mapping[int, PlayedGame]


def saved_match(path: Path) -> SavedMatch:
    """The match in the folder `path`, which may still be played; nothing is written there.

    Raises:
        MatchFolderError: if there is none, or one that is damaged or cannot be read.
        UnknownGame: if it is of a game that is not known here.
    """
    with _explained(path):
        if not (path / "match.json").exists():
            raise MatchFolderError(f"there is no match in '{path}'")
        settings = _parsed(path / "match.json")
        game = registry.get(settings["game"])
        truth = path / "games.jsonl"
        games = _games_in(truth, truth.read_bytes(), game)
    return SavedMatch(game, settings, games)


class MatchFolder(Closing):
    """The folder of one match, for one process at a time.

    `match.json` holds the settings. `games.jsonl` is the truth: a line for each finished game, in
    the order in which they ended. `games.sgf`, or `games.txt`, is made from it by `export`.

    Raises:
        MatchFolderError: if the folder cannot be used for a match with these `settings`.
    """

    def __init__(self, path: Path, game: Game, settings: Mapping[str, Any]) -> None:
        self.path = path
        self._game = game
        self._truth = path / "games.jsonl"
        self._lock = FileLock(path / "lock", timeout=0)
        with _explained(path):
            path.mkdir(parents=True, exist_ok=True)
            try:
                self._lock.acquire()
            except Timeout:
                raise MatchFolderError(f"another process is playing in '{path}'") from None
        try:
            with _explained(path):
                self._claim(settings)
                self.games = self._load()
                self._file = open(self._truth, "ab")  # noqa: SIM115 closed by close
        except BaseException:
            self._unlock()
            raise

    def close(self) -> None:
        """Let go of the folder."""
        # What a full disk did not take has been said by `add`.
        with suppress(OSError):
            self._file.close()
        self._unlock()

    def add(self, number: int, played: PlayedGame) -> None:
        """Store a game, safe from anything that happens after this returns."""
        with _explained(self.path):
            self._file.write(json.dumps(_as_dict(self._game, number, played)).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        self.games[number] = played

    def export(self, records: Sequence[GameRecord]) -> None:
        """Write the games for other programs to read."""
        with _explained(self.path):
            text = "".join(map(format_record, records))
            _replace(self.path / f"games{suffix(self._game)}", text)

    def _claim(self, settings: Mapping[str, Any]) -> None:
        """Make this the folder of a match with these settings, unless it is one already."""
        path = self.path / "match.json"
        if path.exists():
            stored = _parsed(path)
            for name in settings:
                if stored.get(name) != settings[name]:
                    raise MatchFolderError(
                        _difference(self.path, name, stored.get(name), settings[name])
                    )
        elif self._truth.exists():
            raise MatchFolderError(f"'{self.path}' holds games but no match.json")
        else:
            _replace(path, json.dumps(settings, indent=2) + "\n")

    def _load(self) -> dict[int, PlayedGame]:
        self._truth.touch()
        data = self._truth.read_bytes()
        os.truncate(self._truth, data.rfind(b"\n") + 1)
        return _games_in(self._truth, data, self._game)

    def _unlock(self) -> None:
        # Removed while it is held, so that no other process's lock is taken away.
        Path(self._lock.lock_file).unlink(missing_ok=True)
        self._lock.release()


def _games_in(truth: Path, data: bytes, game: Game) -> dict[int, PlayedGame]:
    """The games of the lines in `data`, which is what `truth` holds.

    What follows the last line end is being written, or was when the process was killed.
    """
    games = {}
    for index, line in enumerate(data.split(b"\n")[:-1], start=1):
        try:
            number, played = _from_dict(game, json.loads(line))
        except (ValueError, KeyError, TypeError) as error:
            raise MatchFolderError(
                f"{truth}, line {index}: this is no game of the match"
            ) from error
        games[number] = played
    return games


def _as_dict(game: Game, number: int, played: PlayedGame) -> dict[str, Any]:
    return {
        "number": number,
        "moves": game.format_line(played.moves),
        "outcome": played.outcome.value,
        "efforts": [asdict(effort) for effort in played.efforts],
        "forfeit": played.forfeit,
        "ending": played.ending,
        **({"swapped": True} if played.swapped else {}),
        **({"values": played.values} if any(each is not None for each in played.values) else {}),
    }


def _from_dict(game: Game, stored: dict[str, Any]) -> tuple[int, PlayedGame]:
    dark, light = (Effort(**effort) for effort in stored["efforts"])
    forfeit = stored["forfeit"]
    return stored["number"], PlayedGame(
        moves=tuple(game.parse_line(stored["moves"])),
        outcome=Outcome(stored["outcome"]),
        efforts=(dark, light),
        forfeit=None if forfeit is None else Forfeit(forfeit),
        ending=stored["ending"],
        swapped=stored.get("swapped", False),
        values=tuple(stored.get("values", ())),
    )


def _parsed(path: Path) -> dict[str, Any]:
    try:
        stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        assert isinstance(stored["game"], str)
    except (ValueError, TypeError, KeyError, AssertionError) as error:
        raise MatchFolderError(f"'{path}' holds no settings of a match") from error
    return stored


def _difference(path: Path, name: str, stored: Any, wanted: Any) -> str:
    if name == "openings":
        return f"'{path}' holds a match with other openings"
    return f"'{path}' holds a match with {name} {json.dumps(stored)} and not {json.dumps(wanted)}"


def _replace(path: Path, text: str) -> None:
    """Write a file as a whole or not at all."""
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise MatchFolderError(f"cannot use '{path}': {error.strerror}") from error
