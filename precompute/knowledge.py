"""What a prover has found out so far, in a file beside the book that it works for.

The first line is JSON: the format, the game, the version of the engine, and BLAKE2b with 32 bytes
over what follows, compressed by zlib.
"""

import json
import zlib
from hashlib import blake2b

import engine
from book.replacing import replacing
from book.storage.address import Address, AnyAddress
from engine.errors import FivebookError
from engine.game import Game

_FORMAT = "fivebook knowledge"


class KnowledgeError(FivebookError):
    """The file cannot be used."""


class Knowledge:
    """The knowledge about `game` that belongs to `book`: beside a file, here for a database."""

    def __init__(self, book: AnyAddress, game: Game) -> None:
        self.path = Address.of(book).beside("proof")
        self._game = game

    def read(self) -> bytes:
        """What was written last; nothing where nothing was.

        Raises:
            KnowledgeError: if the file cannot be read, is damaged, or of another game or version.
        """
        if not self.path.exists():
            return b""
        try:
            header, _, data = self.path.read_bytes().partition(b"\n")
            known = json.loads(header)
            if known != self._header(data):
                raise KnowledgeError(
                    f"'{self.path}' is damaged, or of another game or version of fivebook: "
                    "delete it to begin anew"
                )
            return zlib.decompress(data)
        except OSError as error:
            raise KnowledgeError(f"cannot read '{self.path}': {error.strerror}") from error
        except ValueError as error:
            raise KnowledgeError(f"'{self.path}' is no file of a proof: delete it") from error

    def write(self, knowledge: bytes) -> None:
        """Put `knowledge` in the place of what was there, whole or not at all.

        Raises:
            KnowledgeError: if the file cannot be written.
        """
        data = zlib.compress(knowledge, level=1)
        try:
            with replacing(self.path) as partial:
                partial.write_bytes(json.dumps(self._header(data)).encode() + b"\n" + data)
        except OSError as error:
            raise KnowledgeError(f"cannot write '{self.path}': {error.strerror}") from error

    def _header(self, data: bytes) -> dict[str, str]:
        return {
            "format": _FORMAT,
            "game": self._game.id,
            "version": engine.__version__,
            "checksum": blake2b(data, digest_size=32).hexdigest(),
        }
