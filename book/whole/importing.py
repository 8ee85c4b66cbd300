"""Bringing files of the field into a book.

What a file says stands beside what the book knows, with the file's name. It changes no value of the
book and proves nothing: games add to counts, trees and databases to comments and hints.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path

from sqlalchemy import Connection

from book.errors import BookMissing, InvalidRecord
from book.files.contents import LeftOut, Noted, Played, Request, noted_of_item
from book.files.format import Format
from book.files.formats import format_of, read_file
from book.output import files_of, refuse_inputs
from book.reader import BookReader
from book.rows.imports import Imports, canonical_noted, united
from book.rows.lookup import GameRows
from book.storage.address import Address
from book.storage.store import store_of
from book.writer import BookWriter, register
from engine.game import Game

# How many positions are held before they are written.
_HELD = 20_000
_READ_AT_ONCE = 1 << 20
_FINGERPRINT_BYTES = 8


@dataclass(slots=True)
class ImportedFile:
    """What came of a file.

    `positions` are those that it tells of, once each; `was_there` tells that the book had it.
    """

    path: Path
    form: str
    games: int = 0
    positions: int = 0
    values: int = 0
    comments: int = 0
    was_there: bool = False
    left_out: LeftOut = field(default_factory=LeftOut)
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How files are imported.

    `plies` is the deepest ply to keep, None for all. With `add_games` a book that is there gets
    games that it does not hold yet. With `keep_going` files that cannot be read are left out.
    """

    request: Request = field(default_factory=Request)
    form: Format | None = None
    plies: int | None = None
    add_games: bool = False
    keep_going: bool = False


def import_files(
    target: Address,
    paths: Sequence[Path],
    options: ImportOptions,
    report: Callable[[ImportedFile], None] = lambda file: None,
) -> list[ImportedFile]:
    """Import all files at `paths` in one transaction, into a new book if there is none at `target`.

    Returns what came of each. `report` is called after each file.

    Raises:
        InvalidRecord: if one of them cannot be read, or none holds anything; the book is then what
            it was.
        BookError: if the book cannot be written.
    """
    refuse_inputs(files_of(target), paths)
    with _opened(target, options) as importing:
        files = []
        for path in paths:
            files.append(importing.bring(path))
            report(files[-1])
        if not any(file.positions or file.was_there for file in files):
            reasons = (
                line for file in files for line in (file.problem, *file.left_out.described())
            )
            raise InvalidRecord(
                "nothing could be imported: "
                + (next(filter(None, reasons), "the files hold no position"))
            )
    return files


@contextmanager
def _opened(target: Address, options: ImportOptions) -> Iterator["_Importing"]:
    """What brings files into the book at `target`, in one transaction."""
    with ExitStack() as opened:
        held = _games_of(target)
        if held:
            writer = opened.enter_context(BookWriter(target, held[0]))
            connection = opened.enter_context(writer.transaction())
        else:
            connection = opened.enter_context(store_of(target).new_book())
        request = options.request
        if request.game is None and len(held) == 1:
            options = replace(options, request=replace(request, game=held[0]))
        is_open = not held or options.add_games
        yield _Importing(connection, options, None if is_open else frozenset(held))


def _games_of(target: Address) -> tuple[Game, ...]:
    """The games of the book; none if there is no book."""
    try:
        with BookReader(target) as reader:
            return reader.games
    except BookMissing:
        return ()


class _Importing:
    """Writes what files say over a connection; `games` are those that may be written, if not all.

    What is held back of a file is by game and canonical stones.
    """

    def __init__(
        self, connection: Connection, options: ImportOptions, games: frozenset[Game] | None
    ) -> None:
        self._connection = connection
        self._options = options
        self._games = games
        self._imports: dict[Game, Imports] = {}
        self._sources: dict[Game, int] = {}
        self._held: dict[Game, dict[bytes, Noted]] = {}

    def bring(self, path: Path) -> ImportedFile:
        """Write what the file at `path` says."""
        file = ImportedFile(path, "")
        if self._options.keep_going:
            # Looked through first, since what is written of a file cannot be taken back alone.
            file.problem = self._problem_of(path)
        if not file.problem:
            self._read(file)
        return file

    def _problem_of(self, path: Path) -> str:
        """Why a file cannot be read; empty if it can."""
        request = replace(self._options.request, left_out=LeftOut())
        try:
            for _ in read_file(path, request, self._options.form):
                pass
        except InvalidRecord as error:
            return str(error)
        return ""

    def _read(self, file: ImportedFile) -> None:
        try:
            form = self._options.form or format_of(file.path)
            fingerprint = _fingerprint(file.path)
        except OSError as error:
            raise InvalidRecord(f"cannot read '{file.path}': {error.strerror}") from error
        file.form = form.name
        request = replace(self._options.request, left_out=file.left_out)
        for item in read_file(file.path, request, form):
            if not self._begin(item.game, file, fingerprint):
                continue
            file.games += isinstance(item, Played)
            for noted in self._within(noted_of_item(item), file):
                self._hold(item.game, noted, file)
        self._end(file)

    def _begin(self, game: Game, file: ImportedFile, fingerprint: str) -> bool:
        """Whether what the file says of `game` is to be written."""
        if self._games is not None and game not in self._games:
            file.left_out.add(f"of {game.id}, which the book does not hold: use --add-game")
            return False
        if game not in self._imports:
            number = register(self._connection, game)
            self._imports[game] = Imports(GameRows(self._connection, game, number))
        if game not in self._sources:
            if self._imports[game].has(fingerprint):
                file.was_there = True
                return False
            name = file.path.name
            self._sources[game] = self._imports[game].begin(name, file.form, fingerprint)
        return True

    def _within(self, said: Iterator[Noted], file: ImportedFile) -> Iterator[Noted]:
        for noted in said:
            if self._options.plies is None or noted.position.ply <= self._options.plies:
                yield noted
            else:
                file.left_out.add("a position deeper than --plies")

    def _hold(self, game: Game, noted: Noted, file: ImportedFile) -> None:
        held = self._held.setdefault(game, {})
        stones, noted = canonical_noted(game, noted)
        file.values += noted.value is not None
        file.comments += bool(noted.comment)
        held[stones] = united(held[stones], noted) if stones in held else noted
        if len(held) >= _HELD:
            self._write(game, file)

    def _write(self, game: Game, file: ImportedFile) -> None:
        file.positions += self._imports[game].add(self._sources[game], self._held.pop(game))

    def _end(self, file: ImportedFile) -> None:
        for game in list(self._held):
            self._write(game, file)
        for game, source in self._sources.items():
            self._imports[game].end(source)
        self._sources.clear()


def _fingerprint(path: Path) -> str:
    """What tells a file from all others that hold something else."""
    digest = blake2b(digest_size=_FINGERPRINT_BYTES)
    with path.open("rb") as file:
        while part := file.read(_READ_AT_ONCE):
            digest.update(part)
    return digest.hexdigest()
